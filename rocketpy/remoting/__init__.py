"""Trio meets the protocol: channels, the router of requests, servers and the pool of outgoing channels."""

"""The broker: processors that answer requests, services that run beside them, and the state both share."""

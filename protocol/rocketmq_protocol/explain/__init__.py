"""Frames explained byte by byte: what each byte range is, and what its value means."""

from rocketmq_protocol.explain.dump import format_explained
from rocketmq_protocol.explain.frames import explain
from rocketmq_protocol.explain.rows import Explained, Meaning

__all__ = ["Explained", "Meaning", "explain", "format_explained"]

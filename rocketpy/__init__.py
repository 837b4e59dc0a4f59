"""Apache RocketMQ, remade in Python."""

__version__ = "0.1.0"

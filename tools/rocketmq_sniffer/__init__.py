"""See and explain RocketMQ traffic."""

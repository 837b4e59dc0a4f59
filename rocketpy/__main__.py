"""`python -m rocketpy` is the `rocketpy` command."""

from rocketpy.cli import main

main()

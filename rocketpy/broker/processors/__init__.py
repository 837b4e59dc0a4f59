"""One module for each family of requests; a processor takes what it uses and keeps no state."""

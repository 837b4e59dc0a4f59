"""What a broker knows: plain objects, one JSON file each at most."""

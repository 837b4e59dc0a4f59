"""What runs beside the requests: one class, one reason to wake."""

"""What a terminal showed: recordings in their containers, replayed to screens and plain lines."""

"""Prints on the screens of ``watch nvidia-smi``: from rows that were painted to rows of frames."""

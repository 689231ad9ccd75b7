"""Who reads the same captures in which way: a module for each, and what all of them share.

Each module has ``READERS``, a reader for each kind of capture that it can read, and ``sums``, which adds up
what a reader gives. A reader gives every column that the capture shows, numbers as numbers and times as times:
none does less work than another.
"""

"""Who reads the same recording of a terminal in which way: a module for each, and what all of them share.

Each module has ``read``, which goes through all screens and adds up what the cards show.
"""

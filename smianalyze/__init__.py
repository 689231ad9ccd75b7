"""smianalyze."""

"""Many captures of many hosts: a Parquet dataset of their frames, and what the machine room did."""

from __future__ import annotations

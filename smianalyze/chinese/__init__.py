"""Chinese texts by their English; a module for each part of the package that says them."""

from __future__ import annotations

TEXTS: dict[str, str] = {}

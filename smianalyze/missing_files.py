"""What a user may have meant by the name of a file that is not there."""

from __future__ import annotations

import difflib
from pathlib import Path

MAX_NAMES_COMPARED = 1000  # comparing takes some 20 us a name


def hint(missing: Path) -> str:
    """The end of a sentence that names a missing file: its folder is missing too, or a name that is near."""
    if not missing.parent.is_dir():
        return f", nor a folder {shown(str(missing.parent))}"
    try:
        names = sorted(path.name for path in missing.parent.iterdir())[:MAX_NAMES_COMPARED]
    except OSError:
        return ""  # a folder that may not be listed has no hint to give
    near = difflib.get_close_matches(missing.name, names, n=1)
    return f"; did you mean {shown(str(missing.with_name(near[0])))}" if near else ""


def shown(path: str) -> str:
    """A path as text; names need not be valid UTF-8."""
    return path.encode("utf-8", "backslashreplace").decode()

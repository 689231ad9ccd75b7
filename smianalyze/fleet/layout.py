"""Which files of a folder make one capture, and of which host and run it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from smianalyze.errors import UnknownLayout

FIELDS = ("host", "run")
_PART = re.compile(r"\{([^{}]*)\}|(\*\*/)|(\*)|(\?)|([^{}*?]+)")


@dataclass(frozen=True, slots=True)
class CaptureFiles:
    """Files that are read as one capture.

    Attributes:
        names: Paths below the folder, sorted, with ``/`` between their parts.
        host: What the layout says; None where it says nothing.
        run: Likewise.
    """

    names: tuple[str, ...]
    host: str | None = None
    run: str | None = None

    @property
    def name(self) -> str:
        """What the capture is called: its file, or its host and run."""
        return self.names[0] if self.run is None else "/".join(filter(None, (self.host, self.run)))


def captures_of(names: Iterable[str], layout: str | None = None) -> tuple[list[CaptureFiles], list[str]]:
    """The captures among some files, and the files that do not fit the layout.

    Args:
        names: Paths below a folder, with ``/``.
        layout: Such as ``{host}/{run}/*.log``: ``{host}`` and ``{run}`` stand for one part of a path or a piece
            of it, ``*`` and ``?`` as in a shell, ``**/`` for any folders. Files of one host and run are one
            capture. Without a layout, or without ``{run}`` in it, each file is one.

    Raises:
        UnknownLayout: The layout has other fields, or one of them twice.
    """
    if layout is None:
        return [CaptureFiles((name,)) for name in sorted(names)], []
    pattern = _pattern(layout)
    runs: dict[tuple[str | None, str | None, str], list[str]] = {}
    others = []
    for name in sorted(names):
        match = pattern.fullmatch(name)
        if match is None:
            others.append(name)
            continue
        found = match.groupdict()
        host, run = found.get("host"), found.get("run")
        runs.setdefault((host, run, "" if run is not None else name), []).append(name)
    return [CaptureFiles(tuple(files), host, run) for (host, run, _), files in runs.items()], others


@lru_cache(maxsize=8)
def _pattern(layout: str) -> re.Pattern[str]:
    seen: set[str] = set()
    pieces = []
    end = 0
    for match in _PART.finditer(layout):
        if match.start() != end:
            break
        end = match.end()
        field, folders, star, one, text = match.groups()
        if field is not None:
            if field not in FIELDS or field in seen:
                raise UnknownLayout(f"--layout {layout}: {{host}} and {{run}} can stand in it, each once.")
            seen.add(field)
            pieces.append(f"(?P<{field}>[^/]+)")
        else:
            pieces.append("(?:[^/]+/)*" if folders else "[^/]*" if star else "[^/]" if one else re.escape(text))
    if end != len(layout) or not seen:
        raise UnknownLayout(f"--layout {layout}: write it such as '{{host}}/{{run}}/*.log'.")
    return re.compile("".join(pieces))

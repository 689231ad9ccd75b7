"""The file beside a typescript in which ``script`` noted when it wrote what."""

from __future__ import annotations

from pathlib import Path

MAX_BYTES = 256 * 1024**2  # a day of watch twice a second takes 5 MB
_TYPESCRIPT = "Script started on "


def timing_beside(name: str, first_line: str) -> tuple[str, ...]:
    """Lines of the timing file of a typescript; none where there is no such file or no typescript.

    Args:
        name: Path of the typescript. Its timing file is called like it with ``.timing`` behind or instead of its
            suffix; beside a file ``typescript``, also ``timing``.
        first_line: Of the typescript.
    """
    path = Path(name)
    if not first_line.startswith(_TYPESCRIPT) or not path.name:
        return ()
    names = [f"{path.name}.timing", f"{path.stem}.timing"] + ["timing"] * (path.name == "typescript")
    for beside in (path.with_name(name) for name in names):
        try:
            if beside.is_file() and beside.stat().st_size <= MAX_BYTES:
                return tuple(beside.read_text(encoding="ascii", errors="replace").split("\n"))
        except OSError:  # a file that cannot be read is as good as none: the times are printed too
            continue
    return ()

"""Writing a folder or a file: all of it, or nothing.

It is written to a neighbour of the target, so that the last step is one rename on the same disk: before that
step the old content is there, after it the new. Neighbours are named after the machine, the target and the
process; what a killed run left is put right by the next run for the same target.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import platform
import re
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from smianalyze.errors import OutputExists, OutputFailed

# What a report folder may hold; anything else in it is the user's and is not deleted.
OWN_SUFFIXES = frozenset({".html", ".json", ".md", ".png"})
REPORT = "report.json"
REPORT_KEYS = frozenset({"schema", "inputs", "findings"})

IN_THE_WAY = frozenset({errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR})
NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})
NO_PERMISSION = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
# Some network file systems cannot sync a folder; the rename is then as durable as they make it.
CANNOT_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP})

_NEIGHBOUR = re.compile(r"\.smianalyze-[0-9a-f]{16}-([0-9]{1,9})\.(new|old)")


def check_target(target: Path, *, force: bool) -> None:
    """Whether a report may be written to this folder; call it before the work starts.

    Also puts right what a killed run left beside the target.

    Args:
        target: The folder to write; not there yet, or with force an empty one or one that holds a report.
        force: Replace it.

    Raises:
        OutputExists: It is there, and force is not, or it is not ours to replace.
        OutputFailed: The folder that it shall stand in is missing or may not be read.
    """
    target = _absolute(target)
    with _failures(target):
        _check(target, force=force, reason_to_keep=_foreign_folder)


def check_file(target: Path, *, force: bool) -> None:
    """Whether this file may be written; like ``check_target``."""
    target = _absolute(target)
    with _failures(target):
        _check(target, force=force, reason_to_keep=_foreign_file)


def write_folder(target: Path, files: Mapping[str, bytes], *, force: bool, private: bool = False) -> None:
    """Write the folder with these files, or change nothing.

    Args:
        target: The folder; a link in its place is not followed.
        files: Content by plain file name.
        force: Replace an earlier report, see ``check_target``.
        private: Readable by the user alone; otherwise the umask decides.

    Raises:
        OutputExists: See ``check_target``.
        OutputFailed: Disk full, no permission and the like.
    """
    odd = [name for name in files if Path(name).name != name]
    if odd:
        raise ValueError(f"not a plain file name: {odd[0]!r}")
    check_target(target, force=force)
    target = _absolute(target)
    new, old = _neighbour(target, "new"), _neighbour(target, "old")
    with _failures(target):
        try:
            _fill(new, files, private=private)
            if force and os.path.lexists(target):
                target.rename(old)
            new.rename(target)
        except BaseException:
            _undo(target, new=new, old=old)
            raise
    _remove(old)


def write_file(target: Path, data: bytes | Iterable[bytes], *, force: bool, private: bool = False) -> None:
    """Write the file, or change nothing; its content may come in chunks. For the rest see ``write_folder``."""
    check_file(target, force=force)
    target = _absolute(target)
    new = _neighbour(target, "new")
    with _failures(target):
        try:
            _write(new, data, private=private)
            if os.path.lexists(target) and not force:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            new.replace(target)
        except BaseException:
            _remove(new)
            raise


def make_folder(target: Path) -> None:
    """Make this folder if it is not there.

    Raises:
        OutputFailed: It cannot be made.
    """
    with _failures(target):
        target.mkdir(exist_ok=True)


def _absolute(target: Path) -> Path:
    return Path(os.path.abspath(target))  # noqa: PTH100 - resolve() would follow a link at the target


@contextmanager
def _failures(target: Path) -> Iterator[None]:
    """Errors of the system as a sentence for the user."""
    try:
        yield
    except OSError as error:
        if error.errno in IN_THE_WAY:
            raise OutputExists(f"{target} was made by somebody else meanwhile.") from error
        if error.errno in NO_SPACE:
            reason = "there is no space left on the disk"
        elif error.errno in NO_PERMISSION:
            reason = f"there is no permission to write in {target.parent}"
        else:
            reason = error.strerror or str(error)
        raise OutputFailed(f"{target} was not written: {reason}.") from error


def _check(target: Path, *, force: bool, reason_to_keep: Callable[[Path], str]) -> None:
    if not target.parent.is_dir():
        raise OutputFailed(f"{target} cannot be written: there is no folder {target.parent}.")
    _put_right(target)
    if not os.path.lexists(target):
        return
    if not force:
        raise OutputExists(f"{target} is there already; choose another name, or replace it with --force.")
    reason = reason_to_keep(target)
    if reason:
        raise OutputExists(f"{target} is not replaced, not even with --force: {reason}.")


def _foreign_folder(target: Path) -> str:
    """Why this is not ours to replace; empty if it is."""
    if not stat.S_ISDIR(target.lstat().st_mode):
        return "it is a file or a link"
    if Path.cwd().is_relative_to(target.resolve()):
        return "it is the current folder or one above"
    members = sorted(target.iterdir())
    strange = [path for path in members if path.suffix not in OWN_SUFFIXES or not _is_regular(path)]
    if strange:
        return f"{strange[0].name} in it is not from smianalyze"
    return "" if not members or _is_report(target / REPORT) else "what it holds is not from smianalyze"


def _foreign_file(target: Path) -> str:
    """Devices and folders stay; a link is replaced and what it points to stays as it is."""
    return "" if _is_regular(target) or target.is_symlink() else "it is a folder or a device"


def _is_regular(path: Path) -> bool:
    return stat.S_ISREG(path.lstat().st_mode)


def _is_report(path: Path) -> bool:
    try:
        content = json.loads(path.read_bytes())
    except (FileNotFoundError, RecursionError, ValueError):
        return False
    return isinstance(content, dict) and content.keys() >= REPORT_KEYS


def _neighbour(target: Path, role: str) -> Path:
    """The new content before it is in place, or the old one while it is replaced."""
    key = hashlib.blake2b(os.fsencode(f"{platform.node()}/{target.name}"), digest_size=8).hexdigest()
    return target.parent / f".smianalyze-{key}-{os.getpid()}.{role}"


def _put_right(target: Path) -> None:
    """Remove what killed runs left; where one was killed between its two renames, bring the old back."""
    prefix = _neighbour(target, "new").name.rpartition("-")[0]
    for path in sorted(target.parent.glob(f"{prefix}-*")):
        match = _NEIGHBOUR.fullmatch(path.name)
        if not match or _runs(int(match[1])):
            continue
        if match[2] == "old" and not os.path.lexists(target):
            path.rename(target)
        else:
            _remove(path)


def _runs(process: int) -> bool:
    """Whether another process with this number runs (ours is at its start and has left nothing yet)."""
    if os.name != "posix":
        return True  # signal 0 would end it there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return process != os.getpid()


def _fill(folder: Path, files: Mapping[str, bytes], *, private: bool) -> None:
    folder.mkdir(0o700 if private else 0o777)
    for name, data in files.items():
        _write(folder / name, data, private=private)
    if os.name == "posix":
        _sync_folder(folder)


def _write(path: Path, data: bytes | Iterable[bytes], *, private: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, 0o600 if private else 0o666)
    try:
        for chunk in (data,) if isinstance(data, bytes) else data:
            rest = memoryview(chunk)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in CANNOT_SYNC:
            raise
    finally:
        os.close(descriptor)


def _undo(target: Path, *, new: Path, old: Path) -> None:
    """Bring the old content back; where the new one is in place already, it is whole and stays."""
    if os.path.lexists(old) and not os.path.lexists(target):
        try:
            old.rename(target)
        except OSError as error:
            raise OutputFailed(f"{target} could not be put back; the earlier report is in {old}.") from error
    _remove(new)


def _remove(neighbour: Path) -> None:
    """As far as it goes: what stays is removed by the next run."""
    if neighbour.is_dir() and not neighbour.is_symlink():
        shutil.rmtree(neighbour, ignore_errors=True)
    else:
        with suppress(OSError):
            neighbour.unlink()

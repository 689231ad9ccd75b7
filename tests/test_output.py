"""Whole or nothing: at every point of failure the old report is intact, or there is none."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from smianalyze import output
from smianalyze.errors import OutputExists, OutputFailed
from smianalyze.output import check_file, check_target, write_file, write_folder

REPORT = json.dumps({"schema": 1, "inputs": [], "findings": []}).encode()
OLD = {"report.json": REPORT, "report.md": b"old\n", "gone.png": b"\x89PNG old"}
NEW = {"report.json": REPORT, "report.md": b"new\n", "memory.png": b"\x89PNG\r\n new"}
# Everything that touches the disk on the way to the target.
CALLS = ("mkdir", "open", "write", "fsync", "close", "rename", "replace")
TARGET = Path("smi-report")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    mask = os.umask(0o027)
    yield tmp_path
    os.umask(mask)


def content(folder: Path = TARGET) -> dict[str, bytes] | None:
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else None


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def neighbours() -> list[str]:
    return sorted(path.name for path in Path().glob(".smianalyze-*"))


class Fault:
    """Stands for a function of ``os`` and does something else at its n-th call."""

    def __init__(self, patch: pytest.MonkeyPatch, call: str, at: int, fault: Callable[[], object]) -> None:
        self.at, self.fault, self.count = at, fault, 0
        self.real: Callable[..., object] = getattr(os, call)
        patch.setattr(os, call, self)

    @property
    def met(self) -> bool:
        return self.count >= self.at

    def __call__(self, *args: object, **kwargs: object) -> object:
        self.count += 1
        if self.count == self.at:
            self.fault()
        return self.real(*args, **kwargs)


class LateFault(Fault):
    """The same after the call has done its work."""

    def __call__(self, *args: object, **kwargs: object) -> object:
        self.count += 1
        result = self.real(*args, **kwargs)
        if self.count == self.at:
            self.fault()
        return result


def raising(error: BaseException) -> Callable[[], object]:
    def fault() -> None:
        raise error

    return fault


def write_new() -> None:
    write_folder(TARGET, NEW, force=True)


def start(*, with_report: bool) -> dict[str, bytes] | None:
    if TARGET.exists():
        shutil.rmtree(TARGET)
    if with_report:
        write_folder(TARGET, OLD, force=False)
    return content()


def test_folder_is_written() -> None:
    write_folder(TARGET, NEW, force=False)

    assert content() == NEW
    assert neighbours() == []


def test_everything_is_on_the_disk_before_the_rename(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for call in ("write", "fsync", "rename"):
        real = getattr(os, call)
        monkeypatch.setattr(os, call, lambda *args, call=call, real=real: done.append(call) or real(*args))

    write_folder(TARGET, NEW, force=False)

    assert done == ["write", "fsync"] * len(NEW) + ["fsync", "rename"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no /proc here")
def test_no_descriptor_stays_open() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    write_folder(TARGET, NEW, force=False)

    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_report_is_replaced_with_force() -> None:
    start(with_report=True)
    write_new()

    assert content() == NEW
    assert neighbours() == []


@pytest.mark.parametrize("with_report", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
def test_failure_of_any_call_changes_nothing(call: str, number: int, with_report: bool) -> None:
    for at in range(1, 99):
        before = start(with_report=with_report)
        with pytest.MonkeyPatch.context() as patch:
            fault = Fault(patch, call, at, raising(OSError(number, "it fails")))
            try:
                write_new()
            except OutputFailed:
                failed = True
            else:
                failed = False

        # When the new report is in place, opening and closing the old one to remove it may fail.
        assert failed == fault.met or (call in {"open", "close"} and with_report)
        assert content() == (before if failed else NEW)
        check_target(TARGET, force=True)
        assert neighbours() == []
        if not fault.met:
            return
    pytest.fail("there was no end of calls")


@pytest.mark.parametrize("with_report", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", [Fault, LateFault])
def test_interrupt_at_any_call_leaves_the_old_or_the_new(call: str, kind: type[Fault], with_report: bool) -> None:
    for at in range(1, 99):
        before = start(with_report=with_report)
        with pytest.MonkeyPatch.context() as patch:
            fault = kind(patch, call, at, raising(KeyboardInterrupt()))
            # OSError: rmtree closes a folder for the second time when it is interrupted behind the first.
            with suppress(KeyboardInterrupt, OSError):
                write_new()

        assert content() in ([before, NEW] if fault.met else [NEW])
        check_target(TARGET, force=True)
        assert neighbours() == []
        if not fault.met:
            return
    pytest.fail("there was no end of calls")


@pytest.mark.parametrize("with_report", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", [Fault, LateFault])
def test_next_run_puts_right_what_a_killed_one_left(call: str, kind: type[Fault], with_report: bool) -> None:
    for at in range(1, 99):
        before = start(with_report=with_report)
        child = os.fork()
        if not child:
            kind(pytest.MonkeyPatch(), call, at, lambda: os._exit(9))
            write_new()
            os._exit(0)
        killed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
        check_target(TARGET, force=True)

        assert content() in ([before, NEW] if killed else [NEW])
        assert neighbours() == []
        if not killed:
            return
    pytest.fail("there was no end of calls")


def test_report_that_cannot_be_put_back_is_named_and_put_back_by_the_next_run() -> None:
    start(with_report=True)
    with pytest.MonkeyPatch.context() as patch:
        renames: list[object] = []
        real = os.rename

        def rename(*args: str) -> None:
            renames.append(args)
            if len(renames) > 1:
                raise OSError(errno.EIO, "Input/output error")
            real(*args)

        patch.setattr(os, "rename", rename)
        with pytest.raises(OutputFailed, match=r"could not be put back; the earlier report is in .*\.old\.$"):
            write_new()

    assert content() is None
    with pytest.raises(OutputExists):
        check_target(TARGET, force=False)
    assert content() == OLD


def test_neighbours_of_a_running_process_and_of_others_stay() -> None:
    running = output._neighbour(TARGET.absolute(), "new").name.replace(str(os.getpid()), str(os.getppid()))
    for name in (running, ".smianalyze-0000000000000000-1.new", ".smianalyze-notes"):
        Path(name).mkdir()

    write_folder(TARGET, NEW, force=False)

    assert len(neighbours()) == 3


def test_process_of_another_user_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "kill", lambda *_: raising(PermissionError())())

    assert output._runs(1)


def test_existing_target_stays_without_force() -> None:
    start(with_report=True)

    with pytest.raises(OutputExists, match="is there already; choose another name, or replace it with --force"):
        write_folder(TARGET, NEW, force=False)
    assert content() == OLD


def foreign_targets() -> dict[str, Callable[[], object]]:
    def folder(**files: bytes) -> None:
        TARGET.mkdir()
        for name, data in files.items():
            (TARGET / name.replace("_", ".")).write_bytes(data)

    return {
        "notes": lambda: folder(report_json=REPORT, notes_txt=b"mine"),
        "a folder inside": lambda: (folder(report_json=REPORT), (TARGET / "more.md").mkdir()),
        "a link inside": lambda: (folder(report_json=REPORT), (TARGET / "a.md").symlink_to("report.json")),
        "no report.json": lambda: folder(a_png=b""),
        "other json": lambda: folder(report_json=b'{"schema": 1}'),
        "list": lambda: folder(report_json=b"[]"),
        "no json": lambda: folder(report_json=b"\xff"),
        "deep json": lambda: folder(report_json=b"[" * 100_000),
        "file": lambda: TARGET.write_bytes(b"mine"),
        "link to a report": lambda: (
            write_folder(Path("other"), OLD, force=False),
            TARGET.symlink_to("other"),
        ),
        "dangling link": lambda: TARGET.symlink_to("nowhere"),
    }


@pytest.mark.parametrize("made", foreign_targets().values(), ids=foreign_targets())
@pytest.mark.parametrize("force", [False, True])
def test_what_is_not_ours_is_never_replaced(made: Callable[[], object], force: bool) -> None:
    made()
    before = sorted((path, path.lstat().st_mtime_ns) for path in Path().rglob("*"))

    for attempt in (partial(check_target, TARGET), partial(write_folder, TARGET, NEW)):
        with pytest.raises(OutputExists, match="not replaced, not even with --force" if force else "already"):
            attempt(force=force)
    assert sorted((path, path.lstat().st_mtime_ns) for path in Path().rglob("*")) == before


@pytest.mark.parametrize("target", [".", "..", "/"])
def test_current_folder_and_those_above_are_never_replaced(target: str) -> None:
    with pytest.raises(OutputExists, match="not even with --force"):
        write_folder(Path(target), NEW, force=True)


def test_empty_folder_is_taken_with_force() -> None:
    TARGET.mkdir()
    write_new()

    assert content() == NEW


@pytest.mark.parametrize("force", [False, True])
def test_target_needs_the_folder_above_it(force: bool) -> None:
    for attempt in (partial(check_target, force=force), partial(write_folder, files=NEW, force=force)):
        with pytest.raises(OutputFailed, match=r"there is no folder .*/nowhere\.$"):
            attempt(Path("nowhere/smi-report"))


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ENOSPC, "there is no space left on the disk."),
        (errno.EROFS, "there is no permission to write in "),
        (errno.EIO, "Input/output error."),
    ],
)
def test_failure_is_a_sentence(number: int, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Fault(monkeypatch, "mkdir", 1, raising(OSError(number, os.strerror(number))))

    with pytest.raises(OutputFailed, match=f"/smi-report was not written: {reason}"):
        write_folder(TARGET, NEW, force=False)


def test_target_that_appears_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    Fault(monkeypatch, "fsync", 2, lambda: (TARGET.mkdir(), (TARGET / "theirs").touch()))

    with pytest.raises(OutputExists, match="made by somebody else meanwhile"):
        write_folder(TARGET, NEW, force=False)
    assert content() == {"theirs": b""}
    assert neighbours() == []


def test_file_system_that_cannot_sync_folders_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    Fault(monkeypatch, "fsync", len(NEW) + 1, raising(OSError(errno.ENOTSUP, "not supported")))

    write_folder(TARGET, NEW, force=False)

    assert content() == NEW


def test_write_that_takes_a_part_is_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:3]))

    write_folder(TARGET, NEW, force=False)

    assert content() == NEW


@pytest.mark.parametrize("name", ["../a", "a/b", "/a", "."])
def test_names_are_plain(name: str) -> None:
    with pytest.raises(ValueError, match="not a plain file name"):
        write_folder(TARGET, {name: b""}, force=False)


@pytest.mark.parametrize(("private", "folder_mode", "file_mode"), [(False, 0o750, 0o640), (True, 0o700, 0o600)])
def test_modes_follow_the_umask_unless_private(private: bool, folder_mode: int, file_mode: int) -> None:
    write_folder(TARGET, NEW, force=False, private=private)
    write_file(Path("a.csv"), b"", force=False, private=private)

    assert {mode(path) for path in TARGET.iterdir()} == {file_mode}
    assert (mode(TARGET), mode(Path("a.csv"))) == (folder_mode, file_mode)


def test_file_is_written_and_replaced_with_force_alone() -> None:
    file = Path("a.csv")
    write_file(file, b"one", force=False)
    with pytest.raises(OutputExists, match="already"):
        write_file(file, b"two", force=False)
    with pytest.raises(OutputExists, match="already"):
        check_file(file, force=False)

    assert file.read_bytes() == b"one"
    write_file(file, b"two", force=True)
    assert file.read_bytes() == b"two"


def test_link_is_replaced_and_not_followed() -> None:
    Path("a.csv").symlink_to("theirs.csv")
    Path("theirs.csv").write_bytes(b"theirs")

    write_file(Path("a.csv"), b"ours", force=True)

    assert not Path("a.csv").is_symlink()
    assert (Path("a.csv").read_bytes(), Path("theirs.csv").read_bytes()) == (b"ours", b"theirs")


@pytest.mark.parametrize("target", ["/dev/null", "."])
def test_devices_and_folders_are_no_files_to_replace(target: str) -> None:
    with pytest.raises(OutputExists, match="it is a folder or a device"):
        write_file(Path(target), b"", force=True)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()], ids=["full", "interrupt"])
def test_file_is_old_or_new_at_any_failure(call: str, error: BaseException) -> None:
    file = Path("a.csv")
    for at in range(1, 99):
        file.write_bytes(b"old")
        with pytest.MonkeyPatch.context() as patch:
            fault = Fault(patch, call, at, raising(error))
            with suppress(OutputFailed, KeyboardInterrupt):
                write_file(file, b"new", force=True)

        assert file.read_bytes() == (b"old" if fault.met else b"new")
        assert neighbours() == []
        if not fault.met:
            return
    pytest.fail("there was no end of calls")


def test_file_that_appears_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    Fault(monkeypatch, "fsync", 1, lambda: Path("a.csv").write_bytes(b"theirs"))

    with pytest.raises(OutputExists, match="made by somebody else meanwhile"):
        write_file(Path("a.csv"), b"ours", force=False)
    assert Path("a.csv").read_bytes() == b"theirs"
    assert neighbours() == []

"""A dataset holds what load gives, whoever makes it, and a second run only does what is left."""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
from captures import write
from fixture_pairs import FIXTURES
from pandas.testing import assert_frame_equal

import smianalyze
from smianalyze import OutputFailed, UnreadableInput, decode, sections
from smianalyze.columns import FRAMES, columns_of
from smianalyze.fleet import convert, engine, run
from smianalyze.fleet.convert import KILLED
from smianalyze.fleet.engine import Engine
from smianalyze.fleet.run import update
from smianalyze.fleet.scan import SCHEMAS, scan
from smianalyze.formats import csv_runs, monitor_blocks

ALONE = Engine(workers=1)
CAPTURES = {
    "node-a/1/before.txt": "demo/smi_before.txt",
    "node-a/1/after.txt": "demo/smi_after.txt",
    "node-a/2/train.log": "log_oom/h200.txt",
    "node-b/1/series.csv": "query_csv/series_200ms.csv",
    "node-b/2/pmon.txt": "pmon/two_cards_580.txt",
    "node-b/3/step.log": "log_dicts/axolotl.txt",
}


def filled(place: Path) -> Path:
    for name, fixture in CAPTURES.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(FIXTURES / fixture, place / name)
    return place


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path / "captures")


PEAK = r"""
import re, sys
from pathlib import Path
from smianalyze import sections
from smianalyze.fleet.engine import Engine
from smianalyze.fleet.run import update
sections.SECTION_ROWS = 10_000
update(Path(sys.argv[1]), Path(sys.argv[2]), engine=Engine(workers=1))
print(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1])
"""  # the peak that getrusage tells counts the process of the tests too, from which this one is forked
WORKER_MIB = 500
GROWTH_MIB = 40  # for three times as long a recording; read as a whole it would be some 70


class Made(NamedTuple):
    """A folder of captures and the dataset that one process made of it."""

    folder: Path
    dataset: Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    place = tmp_path_factory.mktemp("made")
    update(filled(place / "captures"), place / "dataset", layout="{host}/**/*", engine=ALONE)
    return Made(place / "captures", place / "dataset")


def content(dataset: Path) -> dict[str, bytes]:
    return {str(path.relative_to(dataset)): path.read_bytes() for path in sorted(dataset.rglob("*.parquet"))}


def test_rows_are_those_of_load(made: Made) -> None:
    dataset = scan(made.dataset)

    for name in CAPTURES:
        capture = smianalyze.load(made.folder / name, host=name.split("/")[0])
        for frame in FRAMES:
            columns = [column.name for column in columns_of(frame) if column.dtype != "object"]
            rows = dataset.lazy(frame).to_pandas()
            expected = getattr(capture, frame)[columns].reset_index(drop=True)
            assert_frame_equal(rows.loc[rows["capture"].eq(name), columns].reset_index(drop=True), expected)


def test_all_files_of_a_frame_have_one_schema(made: Made) -> None:
    for frame, schema in SCHEMAS.items():
        dataset = scan(made.dataset).lazy(frame).dataset
        assert all(part.physical_schema.equals(schema, check_metadata=False) for part in dataset.get_fragments())


def test_layout_names_host_and_run_and_joins_the_files_of_a_run(folder: Path, tmp_path: Path) -> None:
    done = update(folder, tmp_path / "dataset", layout="{host}/{run}/*.txt", engine=ALONE)
    dataset = scan(tmp_path / "dataset")
    findings = dataset.lazy("findings").to_pandas()

    assert done.outside == [name for name in sorted(CAPTURES) if not name.endswith(".txt")]
    assert set(dataset.lazy("gpus").to_pandas()["host"]) == {"node-a"}
    assert ("node-a", "1", "primary-card-overhead") in zip(
        findings["host"], findings["run"], findings["id"], strict=True
    )


def test_pool_and_one_process_make_the_same_files(folder: Path, tmp_path: Path) -> None:
    update(folder, tmp_path / "two", layout="{host}/**/*", engine=Engine(workers=2))
    update(folder, tmp_path / "one", layout="{host}/**/*", engine=ALONE)

    assert content(tmp_path / "one") == content(tmp_path / "two")


def test_second_run_reads_nothing(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    def unwanted(*_: object) -> None:
        pytest.fail("a capture was read again")

    monkeypatch.setattr(run, "convert", unwanted)

    again = update(made.folder, made.dataset, layout="{host}/**/*", engine=ALONE)

    assert (again.read, again.unchanged) == (0, len(CAPTURES))


def test_what_grew_is_replaced_and_what_is_gone_is_taken_out(folder: Path, tmp_path: Path) -> None:
    update(folder, tmp_path / "dataset", engine=ALONE)
    grown, gone = folder / "node-a/1/before.txt", folder / "node-b/2/pmon.txt"
    grown.write_bytes(grown.read_bytes() * 2)
    gone.unlink()

    again = update(folder, tmp_path / "dataset", engine=ALONE)
    update(folder, tmp_path / "fresh", engine=ALONE)

    assert (again.read, again.removed) == (1, 1)
    assert content(tmp_path / "dataset") == content(tmp_path / "fresh")


def test_what_cannot_be_read_is_a_row_of_inputs(folder: Path, tmp_path: Path) -> None:
    (folder / "node-b/broken.gz").write_bytes(b"\x1f\x8b\x08 no gzip")

    done = update(folder, tmp_path / "dataset", engine=ALONE)
    inputs = scan(tmp_path / "dataset").lazy("inputs").to_pandas()

    assert [name for name, _ in done.faults] + list(inputs.loc[inputs["lines"].eq(0), "capture"]) != []
    assert inputs.loc[inputs["capture"].eq("node-b/broken.gz"), "note"].str.len().gt(0).all()


def test_a_stopped_run_leaves_whole_captures_and_the_next_one_completes_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = tmp_path / "dataset"
    written = run.convert

    def full_disk(*arguments: object) -> object:
        if len(list(dataset.glob("inputs/*"))) == 3:
            raise OutputFailed("there is no space left on the disk")
        return written(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "convert", full_disk)
    with pytest.raises(OutputFailed):
        update(folder, dataset, engine=ALONE)
    assert len(scan(dataset).lazy("inputs").to_pandas()) == 3
    monkeypatch.undo()
    update(folder, dataset, engine=ALONE)
    update(folder, tmp_path / "fresh", engine=ALONE)

    assert content(dataset) == content(tmp_path / "fresh")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_killed_workers_lose_nothing(folder: Path, tmp_path: Path) -> None:
    kills = iter([True, True])

    def kill_one(_: object) -> None:
        children = multiprocessing.active_children()
        if children and next(kills, False):
            children[0].kill()

    for number in range(4):
        shutil.copy(folder / "node-a/1/after.txt", folder / f"node-a/1/{number}.txt")
    done = update(folder, tmp_path / "dataset", engine=Engine(workers=2), progress=kill_one)
    update(folder, tmp_path / "fresh", engine=ALONE)

    assert next(kills, None) is None
    assert (done.read, done.faults) == (len(CAPTURES) + 4, [])
    assert content(tmp_path / "dataset") == content(tmp_path / "fresh")


class DeadPool:
    """A pool whose only worker dies over its work."""

    def __init__(self, _: int) -> None: ...

    def __enter__(self) -> DeadPool:
        return self

    def __exit__(self, *_: object) -> None: ...

    def submit(self, *_: object) -> Future[object]:
        future: Future[object] = Future()
        future.set_exception(BrokenProcessPool())
        return future


def test_capture_that_kills_each_worker_is_given_up(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_pool", DeadPool)
    for name in [*CAPTURES][1:]:
        (folder / name).unlink()
    shutil.copy(folder / next(iter(CAPTURES)), folder / "other.txt")

    done = update(folder, tmp_path / "dataset", engine=Engine(workers=2))

    assert [reason for _, reason in done.faults] == [KILLED] * 2
    assert scan(tmp_path / "dataset").lazy("inputs").to_pandas()["note"].tolist() == [KILLED] * 2


def test_query_opens_only_the_files_of_its_host(made: Made) -> None:
    dataset = scan(made.dataset)
    part = dataset.where(host="node-b", gpu_index=1, since="2026-11-30 19:40:02", until="2026-11-30 19:40:03")

    rows = part.lazy("gpus").to_pandas()
    every = dataset.lazy("gpus").to_pandas()
    chosen = every[
        every["host"].eq("node-b")
        & every["gpu_index"].eq(1)
        & every["time"].between(pd.Timestamp("2026-11-30 19:40:02"), pd.Timestamp("2026-11-30 19:40:03"), "left")
    ]
    assert len(rows)
    assert_frame_equal(rows, chosen.reset_index(drop=True))
    assert all(Path(path).name.startswith("node-b~") for path in part.lazy("gpus").dataset.files)


def test_no_dataset_is_said() -> None:
    with pytest.raises(UnreadableInput, match="smianalyze fleet"):
        scan("nowhere")


@pytest.fixture
def without_dask(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("smianalyze.fleet.scan.find_spec", lambda _: None)
    yield


@pytest.mark.usefixtures("without_dask")
def test_without_dask_a_frame_is_read_by_pyarrow(made: Made) -> None:
    dataset = scan(made.dataset)

    assert dataset.gpus.count_rows() == len(dataset.gpus.to_pandas())


@pytest.mark.skipif(os.name == "nt", reason="names of files are text there")
def test_file_whose_name_is_no_text_is_read_and_one_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "captures"
    folder.mkdir()
    shutil.copy(FIXTURES / "demo" / "smi_after.txt", folder / os.fsdecode(b"after\xff.txt"))
    (folder / os.fsdecode(b"noise\xff.bin")).write_bytes(bytes(range(256)))
    done = update(folder, tmp_path / "data", engine=ALONE)

    found = scan(tmp_path / "data")
    assert done.read == 2
    assert set(found.gpus.compute()["capture"]) == {"after\\udcff.txt"}
    assert set(found.inputs.compute()["capture"]) == {"after\\udcff.txt", "noise\\udcff.bin"}


@pytest.mark.parametrize("frame", ["inputs", "gpus"])
@pytest.mark.parametrize("size", [0, 100])
def test_damaged_file_is_named_and_that_of_a_capture_is_read_anew(folder: Path, frame: str, size: int) -> None:
    dataset = folder.parent / "damaged"
    update(folder, dataset, engine=ALONE)
    damaged = next(iter((dataset / frame).iterdir()))
    damaged.write_bytes(damaged.read_bytes()[:size])
    (dataset / "inputs" / "notes.parquet").write_text("none of ours")

    with pytest.raises(UnreadableInput, match=re.escape(f"{damaged} is damaged")):
        scan(dataset).lazy(frame).to_pandas()
    (dataset / "inputs" / damaged.name).unlink()
    assert update(folder, dataset, engine=ALONE).read == 1
    assert scan(dataset).lazy(frame).count_rows() > 0


def test_capture_whose_commit_is_damaged_is_read_anew(folder: Path) -> None:
    dataset = folder.parent / "damaged"
    update(folder, dataset, engine=ALONE)
    next(iter((dataset / "inputs").iterdir())).write_bytes(b"")

    assert update(folder, dataset, engine=ALONE).read == 1
    assert scan(dataset).lazy("inputs").count_rows() == len(CAPTURES)


@pytest.mark.parametrize("kind", ["tables", "csv", "dmon", "pmon"])
def test_long_recording_is_the_same_in_sections(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "captures").mkdir()
    write(kind, 1_000_000, tmp_path / "captures/smi.txt")
    update(tmp_path / "captures", tmp_path / "whole", engine=ALONE)
    monkeypatch.setattr(convert, "LONG_BYTES", 0)
    for module, rows in ((sections, "SECTION_ROWS"), (csv_runs, "ENOUGH_ROWS"), (monitor_blocks, "ENOUGH_ROWS")):
        monkeypatch.setattr(module, rows, 600)
    monkeypatch.setattr(decode, "BLOCK_BYTES", 100_000)
    update(tmp_path / "captures", tmp_path / "sections", engine=ALONE)

    whole, parts = scan(tmp_path / "whole"), scan(tmp_path / "sections")
    for frame in ("snapshots", "gpus", "processes", "inputs", "problems"):
        assert_frame_equal(parts.lazy(frame).to_pandas(), whole.lazy(frame).to_pandas())
    for frame in ("card_usage", "hour_usage", "process_usage"):
        sums = [one.lazy(frame).to_pandas().sum(numeric_only=True) for one in (parts, whole)]
        pd.testing.assert_series_equal(*sums, check_exact=False, rtol=0.01)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="Linux counts memory in KiB")
@pytest.mark.parametrize(("kind", "least_mb"), [("tables", 20), ("csv", 8), ("dmon", 4)])
def test_memory_of_a_worker_does_not_grow_with_a_recording(kind: str, least_mb: int, tmp_path: Path) -> None:
    peaks = []
    for size in (least_mb, 3 * least_mb):
        place = tmp_path / str(size)
        place.mkdir()
        write(kind, size * 1_000_000, place / "smi.txt")
        run_alone = subprocess.run(
            [sys.executable, "-c", PEAK, str(place), str(tmp_path / f"data{size}")],
            capture_output=True,
            text=True,
            check=True,
        )
        peaks.append(int(run_alone.stdout) / 1024)

    assert peaks[1] - peaks[0] < GROWTH_MIB
    assert peaks[1] < WORKER_MIB

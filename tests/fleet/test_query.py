"""A question about one host and one hour does not read the dataset of a machine room."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

from smianalyze.fleet.dataset import Stamp, stem_of, tables_of, write_capture
from smianalyze.fleet.layout import CaptureFiles
from smianalyze.fleet.scan import scan
from smianalyze.fleet.schema import table_of
from smianalyze.fleet.tables import ROW_GROUP
from smianalyze.frames import Frames

HOSTS = 1_000
CARDS = 8
PRINTS = 12 * 3_600  # half a day at one a second, of the host that is asked for: several row groups
FEW = 60  # prints of each other host
READ = Path("/proc/self/io")
"""Where Linux says how many bytes this process has asked its files for."""

pytestmark = pytest.mark.skipif(not READ.exists(), reason="bytes are counted by Linux")


def gpus(prints: int) -> pd.DataFrame:
    """Rows of the frame: eight cards a second, whose values do not repeat so that they take room."""
    rows = prints * CARDS
    number = pd.Series(range(rows))
    frame = Frames.from_rows({}).gpus.reindex(number.index)
    return frame.assign(
        snapshot=(number // CARDS).astype("Int64"),
        time=pd.Timestamp("2026-11-30 12:00:00") + pd.to_timedelta(number // CARDS, unit="s"),
        gpu_index=(number % CARDS).astype("Int64"),
        power_draw_w=(number * 7919 % 70_001 / 100).astype("Float64"),
        memory_used_mib=(number * 104_729 % 81_559).astype("Int64"),
        utilization_gpu_pct=(number * 31 % 101).astype("Int64"),
    )


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("room") / "dataset"
    inputs = Frames.from_rows({"inputs": [{"source": "smi.txt", "lines": 1}]}).inputs
    for number, prints in ((0, PRINTS), (1, FEW)):
        capture = of_host(number)
        with tables_of([Stamp(capture.names[0], 1, 1)]) as tables:
            tables.add("inputs", table_of("inputs", inputs, capture, capture.host))
            tables.add("gpus", table_of("gpus", gpus(prints), capture, capture.host))
            write_capture(place, stem_of(capture, capture.host, "0"), tables)
    template = stem_of(capture, capture.host, "0")
    for number in range(2, HOSTS):  # nobody looks into the files of the others, so that they may be copies
        other = of_host(number)
        for frame in ("inputs", "gpus"):
            copy = place / frame / f"{stem_of(other, other.host, '0')}.parquet"
            shutil.copy(place / frame / f"{template}.parquet", copy)
    return place


def of_host(number: int) -> CaptureFiles:
    return CaptureFiles((f"node{number:04}/smi.txt",), f"node{number:04}")


def bytes_read() -> int:
    return int(READ.read_text().split()[1])


@pytest.mark.slow
def test_one_host_and_hour_of_a_thousand_hosts_reads_less_than_a_hundredth(dataset: Path) -> None:
    size = sum(path.stat().st_size for path in dataset.rglob("*.parquet"))
    part = scan(dataset).where(host="node0001", since="2026-11-30 12:00", until="2026-11-30 13:00")

    before = bytes_read()
    rows = part.lazy("gpus").to_pandas(["time", "gpu_index", "utilization_gpu_pct"])
    read = bytes_read() - before

    assert len(rows) == FEW * CARDS
    assert 0 < read < size / 100


@pytest.mark.slow
def test_hour_of_a_long_capture_reads_only_its_row_groups(dataset: Path) -> None:
    (path,) = dataset.glob("gpus/node0000~*")
    part = scan(dataset).where(host="node0000", since="2026-11-30 13:00", until="2026-11-30 14:00")

    before = bytes_read()
    rows = part.lazy("gpus").to_pandas()
    read = bytes_read() - before

    hour = 3_600 * CARDS
    assert len(rows) == hour
    assert read < path.stat().st_size * (hour + 2 * ROW_GROUP) / (PRINTS * CARDS)

"""The tables of a fleet report: what no capture tells is unknown there too."""

from __future__ import annotations

import shutil
from pathlib import Path

from fixture_pairs import FIXTURES

from smianalyze.fleet.engine import Engine
from smianalyze.fleet.run import update
from smianalyze.fleet.scan import scan
from smianalyze.fleet.summary import summary_of


def test_energy_that_no_capture_tells_is_unknown_and_not_zero(tmp_path: Path) -> None:
    (tmp_path / "captures").mkdir()
    shutil.copy(FIXTURES / "demo" / "smi_after.txt", tmp_path / "captures")
    update(tmp_path / "captures", tmp_path / "data", engine=Engine(workers=1))

    (host,) = summary_of(scan(tmp_path / "data")).hosts.to_dict("records")
    assert host["cards"] == 2
    assert host["energy_kwh"] != 0
    assert host["recorded_h"] != 0

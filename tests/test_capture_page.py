"""Each command of docs/capture.md leaves a file that is read; stand-ins replace the programs of a GPU host."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import smianalyze

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "capture.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)

# Programs that start what stands behind their options, and programs that print a fixture.
STARTERS = {
    "srun": "-*|[0-9]*",
    "kubectl": "exec|logs|--*|pod-1",
    "docker": "exec|trainer",
    "ssh": "node17",
    "watch": "-n|1",
}
PRINTERS = {"top": "top/kib_33.txt", "lscpu": "lscpu", "python": "log_bars/tqdm.txt"}


@pytest.fixture
def gpu_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and a PATH on which these programs come first."""
    smi = f'"{sys.executable}" "{ROOT / "tests" / "stand_in_smi.py"}"'
    programs = {"nvidia-smi": f'#!/bin/bash\nexec {smi} "$@"\n', "sleep": "#!/bin/bash\n"}
    for name, options in STARTERS.items():
        skip = f'while case "${{1-}}" in {options}) true;; *) false;; esac; do shift; done'
        programs[name] = f'#!/bin/bash\n{skip}\n[ $# = 0 ] && exec python || exec "$@"\n'
    for name, fixture in PRINTERS.items():
        found = ROOT / "fixtures" / fixture
        capture = found if found.is_file() else min(path for path in found.iterdir() if path.suffix != ".json")
        programs[name] = f"#!/bin/bash\ncat {capture}\n"
    folder = tmp_path / "programs"
    folder.mkdir()
    for name, text in programs.items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    path = (str(folder), str(Path(sys.executable).parent), os.environ["PATH"])
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("PATH", os.pathsep.join(path))
    for name, value in {"POD": "pod-1", "SLURM_JOB_ID": "812", "CUDA_VISIBLE_DEVICES": "2,3"}.items():
        monkeypatch.setenv(name, value)
    return here


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.partition("\n")[0][:60])
def test_command_leaves_a_capture_that_is_read(block: str, gpu_host: Path) -> None:
    for name in re.findall(r"smi_\w+\.txt|train\.log", block if "redact" in block else ""):
        (gpu_host / name).write_bytes((ROOT / "fixtures/demo/smi_after.txt").read_bytes())
    shell = shutil.which("bash") or "bash"
    # a recorder may have ended before it is killed
    script = re.sub(r"^kill .*$", "wait", block, flags=re.MULTILINE)

    subprocess.run([shell, "-eu", "-o", "pipefail", "-c", script + "\nwait"], check=True, timeout=60, cwd=gpu_host)

    captures = [path for path in gpu_host.rglob("*") if path.is_file()]
    assert captures
    for path in captures:
        inputs = smianalyze.load(path).inputs
        assert inputs["format"].notna().all(), f"{path.name} is not recognised"
        assert int(inputs["problem_lines"].sum()) == 0

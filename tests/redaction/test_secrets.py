"""Secrets and names that stand in inputs come out of nothing that is made to be shared."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest
from canaries import Canary, ordinary_commands, with_name, with_prefix
from matplotlib.text import Text
from redacted import redacted_file, redacted_text

import smianalyze
from smianalyze import figures
from smianalyze.columns import FRAMES
from smianalyze.export import exported, learn_names
from smianalyze.masking import Masker
from smianalyze.redaction import Redactor
from smianalyze.report.to_terminal import terminal_text

HOST, USER, PROJECT, SERIAL = "quuxnode42", "zorblax7", "topsecretproj", "1398420011223"
UUID = "GPU-9f3b2c11-7a6d-4e5f-8b90-a1b2c3d4e5f6"
NAMES = (HOST, USER, PROJECT, SERIAL, UUID)

XML = """<?xml version="1.0" ?>
<nvidia_smi_log>
	<driver_version>580.159.04</driver_version>
	<gpu id="00000000:00:06.0">
		<product_name>NVIDIA H200</product_name>
		<serial>{serial}</serial>
		<uuid>{uuid}</uuid>
		<fb_memory_usage><total>143771 MiB</total><used>9000 MiB</used><free>134771 MiB</free></fb_memory_usage>
		<processes>
{processes}
		</processes>
	</gpu>
</nvidia_smi_log>
"""
PROCESS = """			<process_info><pid>{pid}</pid><type>C</type>
				<process_name>{name}</process_name><used_memory>12 MiB</used_memory></process_info>"""
QUERY = """==============NVSMI LOG==============

Driver Version                            : 580.159.04
GPU 00000000:00:06.0
    Product Name                          : NVIDIA H200
    Serial Number                         : {serial}
    GPU UUID                              : {uuid}
    Processes
        Process ID                        : 77
            Type                          : C
            Name                          : /home/{user}/{project}/bin/python {text}
            Used GPU Memory               : 612 MiB
"""
OUT_OF_MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


def canaries() -> list[Canary]:
    """One of each kind for every place, on one line."""
    found = [canary for canary in with_prefix() + with_name() if "\n" not in canary.text]
    return found[::2]


def write_inputs(folder: Path, texts: Sequence[str]) -> list[Path]:
    """Captures and a log that carry the texts in process names, arguments, paths, messages and damaged rows."""
    commands = [f"/home/{USER}/{PROJECT}/bin/python {text}" for text in texts]
    log = [
        f"{USER}@{HOST}:~/{PROJECT}$ CUDA_VISIBLE_DEVICES={UUID} python train.py",
        f"{HOST}:812:812 [0] NCCL INFO comm 0x7fe3d4001980 rank 0 nranks 2 cudaDev 0 busId 6000 - Init COMPLETE",
        *(f"CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc-per-node 2 train.py {text}" for text in texts),
        *(f"/home/{USER}/{PROJECT}/train.py: {text} {OUT_OF_MEMORY}" for text in texts[::10]),
    ]
    processes = [PROCESS.format(pid=pid, name=html.escape(command)) for pid, command in enumerate(commands, 100)]
    apps = [f'00000000:00:06.0, {pid}, "{command}", 612 MiB' for pid, command in enumerate(commands, 100)]
    written = {
        "train.log": "\n".join(log),
        "smi.xml": XML.format(serial=SERIAL, uuid=UUID, processes="\n".join(processes)),
        "apps.csv": "\n".join(["gpu_bus_id, pid, process_name, used_gpu_memory [MiB]", *apps]),
        "q.txt": QUERY.format(serial=SERIAL, uuid=UUID, user=USER, project=PROJECT, text=texts[0]),
        "smi.csv": f"index, serial, uuid, memory.used [MiB]\n0, {SERIAL}, {UUID}, 12 MiB\n0, {SERIAL}, {UUID}, x",
    }
    paths = [folder / name for name in written]
    for path, text in zip(paths, written.values(), strict=True):
        path.write_text(text + "\n", encoding="utf-8")
    return paths


def shared_texts(capture: smianalyze.Capture, folder: Path, level: Literal["default", "all"]) -> str:
    """All that a report, its pictures, the terminal, a notebook and the frames say of a capture."""
    capture.report(folder, mask=level, html=True)
    texts = [path.read_bytes().decode("utf-8", "replace") for path in folder.iterdir()]
    pictures = figures.pictures(capture.frames, capture.comparison, masker=Masker(level))
    texts += [str(text.get_text()) for picture in pictures for text in picture.figure.findobj(Text)]
    texts.append(terminal_text(capture.findings(), capture.frames, masker=Masker(level)))
    if level == "default":  # that of a notebook
        texts += [capture._repr_html_(), capture._repr_markdown_(), capture.findings()._repr_html_()]
    masker = Masker(level)
    learn_names([getattr(capture, name) for name in FRAMES], masker)
    texts += [
        exported(getattr(capture, frame), file_format, masker=masker).decode()
        for frame in FRAMES
        for file_format in ("csv", "json")
    ]
    return html.unescape("\n".join(texts))


def leaks(text: str, planted: Sequence[Canary]) -> list[Canary]:
    return [canary for canary in planted if canary.secret in text]


def test_there_are_secrets_of_many_kinds() -> None:
    assert len(canaries()) >= 200
    assert len({canary.kind for canary in canaries()}) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("level", ["default", "all"])
def test_no_secret_and_no_name_comes_out_of_a_report(level: Literal["default", "all"], tmp_path: Path) -> None:
    planted = canaries()
    capture = smianalyze.load(*write_inputs(tmp_path, [canary.text for canary in planted]))
    assert {"events", "processes", "gpus"} <= {frame for frame in FRAMES if len(getattr(capture, frame))}

    shared = shared_texts(capture, tmp_path / "out", level)

    assert leaks(shared, planted) == []
    assert [name for name in NAMES if name in shared] == []


@pytest.mark.slow
def test_no_secret_and_no_name_comes_out_of_redaction(tmp_path: Path) -> None:
    planted = canaries()
    redactor = Redactor()
    paths = write_inputs(tmp_path, [canary.text for canary in planted])

    redacted = html.unescape("\n".join(redacted_file(path, redactor).decode() for path in paths))

    assert leaks(redacted, planted) == []
    assert [name for name in NAMES if name in redacted] == []


def test_redaction_leaves_ordinary_command_lines_alone() -> None:
    lines = [line for line in ordinary_commands(2000) if "/" not in line and "GPU-" not in line]
    changed = [line for line in lines if redacted_text(line) != line]

    assert len(lines) > 500
    assert len(changed) <= 0.01 * len(lines)

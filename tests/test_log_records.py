"""What holds for every training log: foreign text is none, a cut gives no wrong number, a copy counts once."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from fixture_pairs import captures
from training_logs import steps_of

from smianalyze.reading import read_rows
from smianalyze.source import open_inputs

# two accounts of the same steps: which of them counts shows only at the end
TWO_ACCOUNTS = {"megatron_deepspeed.txt"}
LOGS = [
    param
    for name in ("log_pairs", "log_bars", "log_keras", "log_dicts")
    for param in captures(name)
    if param.id not in TWO_ACCOUNTS
]
CUTS = 100

# ruff: noqa: E501 - the texts are what programs print
FOREIGN = {
    "kernel log": "[   12.345678] nvme nvme0: 8/0/0 default/read/poll queues\n[   13.1] EXT4-fs (sda1): mounted, step 3: ok\n",
    "pip": "Collecting torch==2.5.1\n  Downloading torch-2.5.1.whl (906.4 MB)\n     ━━━━━━━━━━ 906.4/906.4 MB 1.2 MB/s eta 0:00:00\n",
    "readme": "# Training\n\nRun for 3 epochs with lr=1e-4 and batch size 32; the loss should be about 0.5 at step 1000.\n",
    "c source": "for (int step = 0; step < 10; ++step) { loss += lr * grad[step]; /* epoch: 3, loss: 0.5 */ }\n",
    "python source": 'print(f"epoch {epoch}: loss {loss:.4f}, lr {lr}")\nargs = dict(epochs=3, lr=0.1, loss="mse")\n',
    "docker build": "Step 3/10 : RUN pip install torch\n ---> Running in 0a1b2c3d4e5f\nStep 4/10 : COPY . /app\n",
    "yaml": "train:\n  epochs: 300\n  lr: 0.001\n  batch_size: 64\nloss: focal\n",
    "arguments": "Namespace(epochs=90, start_epoch=0, batch_size=256, lr=0.1, momentum=0.9, loss='ce')\n",
    "json settings": '{"learning_rate": 0.0001, "num_train_epochs": 3, "per_device_train_batch_size": 8}\n',
    "apt": "Get:1 http://deb.debian.org bookworm InRelease [151 kB]\nReading package lists... 100%\n",
    "make": "[ 45%] Building CXX object src/CMakeFiles/step.dir/step.cpp.o\n[100%] Linking CXX executable train\n",
    "wget": "model.bin  45%[=====>      ] 1.20G  45.3MB/s  eta 28s\n",
    "rsync": "  1,238,099 100%  146.38kB/s    0:00:08  (xfr#5, to-chk=169/396)\n",
    "slurm": "JOBID PARTITION NAME USER ST TIME NODES\n 12345 gpu train me R 1:02:03 1\n",
    "git": "Receiving objects:  45% (450/1000), 1.20 MiB | 2.40 MiB/s\nResolving deltas: 100% (300/300), done.\n",
    "pytest": "tests/test_train.py::test_step[0-1] PASSED   [ 45%]\n===== 3 passed in 1.23s =====\n",
    "accuracy report": "              precision    recall  f1-score   support\n           0       0.98      0.99      0.98       980\n",
    "prose": "At epoch 3 the loss was 0.5, so I lowered the lr to 0.01 and went on until step 20000.\n",
    "dataset": "Downloading data: 100%|##########| 1.2G/1.2G [00:10<00:00, 120MB/s]\nMap: 50%|##### | 5/10 [00:01<00:01]\n",
    "top": "top - 12:00:01 up 3 days,  load average: 1.00, 2.00, 3.00\n%Cpu(s):  1.0 us,  0.5 sy, 98.0 id\n",
}


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN)
def test_foreign_text_gives_no_step(text: str) -> None:
    assert steps_of(text) == []


def records(data: bytes) -> list[dict[str, object]]:
    rows = read_rows(open_inputs(io.BytesIO(data))).get("steps", [])
    return [{key: value for key, value in row.items() if value is not None and key != "line"} for row in rows]


def differences(found: list[dict[str, object]], whole: list[dict[str, object]]) -> list[object]:
    """Values that the whole log does not have; without its last keys a first line may look like a generic one."""
    more = [f"{len(found)} records of {len(whole)}"] if len(found) > len(whole) else []
    return more + [
        (key, value, full.get(key))
        for row, full in zip(found, whole, strict=False)
        for key, value in row.items()
        if value != full.get(key) and not (key == "format" and len(found) == 1)
    ]


@pytest.mark.parametrize("log", LOGS)
def test_cut_log_gives_the_records_before_the_cut(log: Path) -> None:
    data = log.read_bytes()
    whole = records(data)
    # the last draw before the cut is not the last that the whole log shows of its step
    is_drawn = b"\r" in data or log.parent.name == "log_bars"
    chance = random.Random(log.name)  # noqa: S311 - a fixed seed

    wrong = {}
    for place in chance.choices(range(1, len(data)), k=CUTS):
        found = records(data[:place])
        wrong[place] = differences(found[:-1] if is_drawn else found, whole)

    assert {place: found for place, found in wrong.items() if found} == {}


@pytest.mark.parametrize("log", LOGS)
def test_windows_line_ends_change_nothing(log: Path) -> None:
    data = log.read_bytes()
    if b"\r" in data:
        pytest.skip("has other line ends already")

    assert records(data.replace(b"\n", b"\r\n")) == records(data)


def test_line_that_two_handlers_print_counts_once() -> None:
    line = "INFO:tensorflow:loss = 0.125, step = 2301 (0.195 sec)\n"

    assert len(steps_of(line * 2)) == 1


def test_two_formats_in_one_text_are_both_read() -> None:
    text = "iter 10: loss 3.4, time 661.4ms, mfu 22.5%\n{'loss': 1.5, 'learning_rate': 1e-05, 'epoch': 1.0}\n"

    assert sorted(str(row["format"]) for row in steps_of(text)) == ["hf_trainer", "nanogpt"]

"""What holds for every training log: foreign text is none, a cut gives no wrong number, a copy counts once."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from fixture_pairs import captures
from training_logs import steps_of

from smianalyze.reading import read_rows
from smianalyze.source import from_text, open_inputs

# two accounts of the same steps: which of them counts shows only at the end
TWO_ACCOUNTS = {"megatron_deepspeed.txt"}
LOGS = [
    param
    for name in ("log_pairs", "log_bars", "log_keras", "log_dicts", "log_csv", "log_json", "log_blocks")
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
    "cuda source": 'if (err != cudaSuccess) { fprintf(stderr, "CUDA error: %s\\n", cudaGetErrorString(err)); exit(1); }\n',
    "python except": "except torch.cuda.OutOfMemoryError:\n    torch.cuda.empty_cache()  # CUDA out of memory: try a smaller batch\n",
    "manual of memory": "If you see `CUDA out of memory`, lower the batch size; NCCL timeouts have other causes.\n",
    "changelog": "- fix: DataLoader workers are no longer killed when the loss is NaN (#1234)\n- perf: 3x faster steps\n",
    "issue list": "#12 RuntimeError when training with 2 GPUs\n#13 Loss becomes NaN after 100 steps?\n",
    "nginx": '10.0.0.1 - - [30/Nov/2026:19:36:00 +0000] "GET /step/3 HTTP/1.1" 200 512 "-" "curl/8.0"\n',
    "dns zone": "train 3600 IN A 10.0.0.3\nloss 60 IN CNAME train\n",
    "sql": "INSERT INTO steps (epoch, step, loss) VALUES (1, 10, 0.5), (1, 20, 0.4);\n",
    "bibliography": "Smith et al. (2021), Training step by step: 100 epochs, loss 0.5, J. Mach. 3 (4), 12-19.\n",
    "systemd": "Nov 30 19:36:00 node01 systemd[1]: Started train.service - Training job, step 3 of 4.\n",
    "memory of the host": "[    0.000000] Memory: 263967744K/268434428K available (20480K kernel code, 3000K rwdata)\n",
    "free": "               total        used        free      shared  buff/cache   available\nMem:             251          12         200           0          38         236\n",
    "ps": "root      2761 90.9  0.0 657584 62296 ?  Rl   19:37   0:00 python3 train.py --epochs 3 --lr 0.1\n",
    "ls": "-rw-r--r-- 1 user user 1024 Nov 30 19:36 epoch=3-step=1000-loss=0.5.ckpt\n",
    "checkpoint": "Saving model checkpoint to runs/epoch-3/step-1000 with loss below 0.5\n",
    "chess": "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6\n",
    "weather": "Mon Nov 30: 12.5 C, wind 3 m/s, step into the rain at 10:30, loss of light at 16:05\n",
    "tensor": "tensor([[0.1234, 0.5678],\n        [0.9101, 0.1121]], device='cuda:0')\n",
    "model": "Linear(in_features=512, out_features=10, bias=True)\n(loss): CrossEntropyLoss()\n",
    "html": "<li>Epoch: 3</li><li>Loss: 0.5</li>\n",
    "csv of people": "name,age,step\nAnn,31,2\n",
}


# settings that a program prints are what they are, also in the middle of something else
NO_ERRORS = ("settings",)


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN)
def test_foreign_text_gives_no_step(text: str) -> None:
    assert steps_of(text) == []


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN)
def test_foreign_text_gives_no_event(text: str) -> None:
    events = read_rows([from_text(text)]).get("events", [])

    assert [event["message"] for event in events if event["kind"] not in NO_ERRORS] == []


WORDS = (
    *(
        "the",
        "loss",
        "of",
        "a",
        "step",
        "epoch",
        "is",
        "lr",
        "memory",
        "CUDA",
        "out",
        "error",
        "GPU",
        "0",
        "3",
        "0.5",
    ),
    *(
        "and",
        "then",
        "batch",
        "time",
        "data",
        "it",
        "was",
        "too",
        "killed",
        "worker",
        "nan",
        "we",
        "see",
        "rank",
        "1e-4",
    ),
    *(
        "Loss",
        "Epoch",
        "train",
        "with",
        "NCCL",
        "timeout",
        "process",
        "per",
        "second",
        "GiB",
        "at",
        "which",
        "MiB",
    ),
)


@pytest.mark.parametrize("seed", range(40))
def test_sentences_of_the_words_of_logs_give_nothing(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a fixed seed
    sentences = [" ".join(chance.choices(WORDS, k=chance.randrange(6, 18))) + "." for _ in range(200)]
    rows = read_rows([from_text("\n".join([*sentences, ""]))])

    assert [row["line"] for row in rows.get("steps", [])] == []
    assert [event["message"] for event in rows.get("events", [])] == []


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

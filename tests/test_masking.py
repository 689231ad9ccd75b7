"""A report can be shared: what tells who and where is gone, what matters for the GPUs is still there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from canaries import Canary, ordinary_commands, with_name, with_prefix

from smianalyze.masking import Masker
from smianalyze.secret_text import MASK, without_secrets


def missed(canaries: list[Canary], masked: Callable[[str], str]) -> list[Canary]:
    return [canary for canary in canaries if canary.secret in masked(canary.text)]


def test_there_are_enough_canaries() -> None:
    canaries = with_prefix() + with_name()

    assert len(canaries) >= 200
    assert len({canary.kind for canary in canaries}) >= 20


def test_every_secret_with_a_known_prefix_is_masked() -> None:
    assert missed(with_prefix(), Masker().text) == []
    assert missed(with_prefix(), Masker().process_name) == []
    assert missed(with_prefix(), Masker().source) == []


@pytest.mark.parametrize("kind", sorted({canary.kind for canary in with_name()}))
def test_secret_behind_a_name_is_masked(kind: str) -> None:
    canaries = [canary for canary in with_name() if canary.kind == kind]

    assert len(missed(canaries, Masker().text)) <= 0.02 * len(canaries)


def test_no_argument_of_a_process_is_shown() -> None:
    assert missed(with_name()[:100], Masker().process_name) == []


def test_ordinary_command_lines_stay() -> None:
    lines = ordinary_commands(2000)
    changed = [line for line in lines if without_secrets(line) != line]

    assert len(changed) <= 0.01 * len(lines)


def test_what_surrounds_a_secret_stays() -> None:
    line = "python train.py --api-key hunter2 --lr 0.1 HF_TOKEN='a b' https://joe:pw@github.com/x"

    assert without_secrets(line) == (
        f"python train.py --api-key {MASK} --lr 0.1 HF_TOKEN='{MASK}' https://{MASK}@github.com/x"
    )


@pytest.mark.parametrize("text", [canary.text for canary in with_name()[::40]])
def test_masking_secrets_twice_changes_nothing_more(text: str) -> None:
    once = without_secrets(text)

    assert without_secrets(once) == once


def test_flag_behind_a_flag_is_no_secret() -> None:
    assert without_secrets("--token --lr 0.1") == "--token --lr 0.1"
    assert without_secrets("--token=-hunter2 --lr 0.1") == f"--token={MASK} --lr 0.1"


def test_secret_cut_in_its_quotes_is_masked_to_the_end() -> None:
    assert without_secrets('--password "correct horse batt') == f'--password "{MASK}'


def test_random_word_counts_behind_a_telling_word_only() -> None:
    word = "4f9a8b7c6d5e4f3a2b1c"

    assert without_secrets(f"with token {word} now") == f"with token {MASK} now"
    assert without_secrets(f"sent Bearer {word} now") == f"sent Bearer {MASK} now"
    assert without_secrets(f"at commit {word} now") == f"at commit {word} now"


@pytest.mark.parametrize(
    "word", ["BertForSequenceClassification", "a1b2c3d4", "step-1111111111111111", "layer_0.weight_1.x"]
)
def test_word_that_is_not_random_stays_behind_a_telling_word(word: str) -> None:
    assert without_secrets(f"with token {word} now") == f"with token {word} now"


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("python3", "python3"),
        ("/opt/torch/.venv/bin/python", "python"),
        ("/usr/bin/python3 /home/joe/train.py --token abc", "python3"),
        ("./gpu_burn", "gpu_burn"),
        ("C:\\Program Files\\Vendor\\Some App.exe", "Some App.exe"),
        ('"C:\\Program Files\\Vendor\\App.exe" --type=gpu', "App.exe"),
        ("python C:\\x\\train.py --token abc.exe", "python"),
        (".../envs/sample/bin/python", ".../python"),
        ("...ystem32\\dwm.exe", "...\\dwm.exe"),
        ("...-channel-token=303407235874180773", f"...{MASK}"),
        ("...8f7a6b5c4d3e2f1a0b9c", f"...{MASK}"),
        ("...", f"...{MASK}"),
        ("8f7a6b5c4d3e2f1a0b9c", "8f7a6b5c4d3e2f1a0b9c"),
        ("VLLM::Worker_TP1", "VLLM::Worker_TP1"),
        ("N/A", "N/A"),
        ("[Insufficient Permissions]", "[Insufficient Permissions]"),
    ],
)
def test_program_keeps_its_name_alone(printed: str, expected: str) -> None:
    assert Masker().process_name(printed) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('File "/home/joe/proj/train.py", line 10', 'File "/home/user-1/…/train.py", line 10'),
        ("in /Users/joe", "in /Users/user-1"),
        ("'C:\\\\Users\\\\Joe Smith\\\\a\\\\x.py' failed", "'C:\\Users\\user-1\\…\\x.py' failed"),
        ("-L/home/joe/lib file:///home/joe/x.py", "-L/home/user-1/lib file:///home/user-1/x.py"),
        ("~/a/b.py ~joe/c.py \\\\server\\share\\d.py", "~/…/b.py ~user-1/c.py \\…\\d.py"),
        ("~joe/c.py /home/joe/c.py", "~user-1/c.py /home/user-1/c.py"),
        ("/data/secret-project/run", "/…"),
        ("joe@node17:~/work$ nvidia-smi", "user-1@host-1:~/… nvidia-smi"),
        ("root@node17 joe.b@example.com", "root@host-1 user-1@host-2"),
        ("node17:812:812 [0] NCCL INFO eno1:10.0.0.11<0>", "host-1:812:812 [0] NCCL INFO eno1:address-1<0>"),
        ("Aug  5 04:07:55 node01 kernel: NVRM: Xid", "Aug  5 04:07:55 host-1 kernel: NVRM: Xid"),
        ("srun: error: node01: task 3: Killed", "srun: error: host-1: task 3: Killed"),
        ("STEP 12.0 ON node01 CANCELLED", "STEP 12.0 ON host-1 CANCELLED"),
        ("  host      : node17 --master-addr node18", "  host      : host-1 --master-addr host-2"),
        ("ip-10-0-0-1.ec2.internal", "host-1"),
        ("https://my-github.com/x https://git.corp.example/y", "https://host-1/x https://host-2/y"),
        ("tcp://node17:29500 tcp://10.1.1.1:23456", "tcp://host-1:29500 tcp://address-1:23456"),
        ("[2001:db8::5]:80 fe80::1", "[address-1]:80 address-2"),
        ("USER=joe --user joe", "USER=user-1 --user user-1"),
        ("GPU-00000000-1111-2222-3333-444444444444: GPU-5ebe9f43", "gpu-a: gpu-b"),
        ("MIG-GPU-00000000-1111-2222-3333-444444444444/1/0", "MIG-gpu-a/1/0"),
        ("MIG-a1b2c3d4-1111-2222-3333-444444444444", "mig-a"),
        ("Serial Number                 : 1320220012345", "Serial Number                 : serial-1"),
    ],
)
def test_identity_becomes_an_alias(line: str, expected: str) -> None:
    assert Masker().text(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 71.46 GiB. GPU 0 has 139.81 GiB",
        "See https://pytorch.org/docs/stable/notes/cuda.html#environment-variables and http://localhost:8000/x",
        "[Mon Aug  5 04:07:55 2024] NVRM: Xid (PCI:0000:3d:00): 31, pid=2510877, name=python3.10",
        "Epoch: [0][  0/625] Acc@1 48.50 mAP@.5:.95 tokens/s 10/100 TFLOP/s/device 2025/01/02 12:34:56",
        "127.0.0.1:80 0.0.0.0 ::1 [::]:29500 std::bad_alloc c10::Error 00000000:19:00.0 driver 580.159.04",
        "pip install nvidia-cudnn-cu12==9.1.0.70 git+https://github.com/x/y@main torch==2.1.0+cu121",
        "/dev/nvidia0 /proc/driver/nvidia/version user: root host=localhost serial 8 workers",
        "[2025-12-01 09:00:06 TP0] Decode batch. #running-req: 1, #token: 178, token usage: 0.00",
    ],
)
def test_line_without_identity_stays(line: str) -> None:
    assert Masker().text(line) == line


def test_same_original_has_the_same_alias_everywhere() -> None:
    masker = Masker()
    first = masker.text("joe.b@node17:/home/joe.b/x.py GPU-5ebe9f43")

    assert first == "user-1@host-1:/home/user-1/x.py gpu-a"
    assert (masker.host("node17"), masker.host("NODE17"), masker.user("joe.b")) == (
        "host-1",
        "host-1",
        "user-1",
    )
    assert masker.uuid("gpu-5EBE9F43") == "gpu-a"
    assert masker.text("node17 of joe.b again") == "host-1 of user-1 again"


def test_plain_word_that_is_also_a_user_stays() -> None:
    masker = Masker()
    masker.user("train")

    assert masker.text("train loss 0.1") == "train loss 0.1"


def test_host_named_like_an_alias_is_not_mixed_up() -> None:
    masker = Masker()

    assert masker.text("a@host-2:~ b@node17:~ c@host-2:~") == "user-1@host-1:~ user-2@host-2:~ user-3@host-1:~"


def test_inputs_of_the_same_name_stay_apart() -> None:
    masker = Masker()

    assert [masker.source(name) for name in ("a/smi.txt", "b\\smi.txt", "-", "a/smi.txt")] == [
        "smi.txt",
        "smi.txt (2)",
        "-",
        "smi.txt",
    ]


def test_letters_go_on_behind_z() -> None:
    masker = Masker()

    assert [masker.uuid(f"GPU-{number}") for number in range(28)][-3:] == ["gpu-z", "gpu-aa", "gpu-ab"]


def test_level_all_masks_names_and_quotes_nothing() -> None:
    masker = Masker("all")

    assert [masker.process_name(name) for name in ("python", "/x/python", "python", "N/A")] == [
        "process-1",
        "process-2",
        "process-1",
        "N/A",
    ]
    assert masker.source("smi.txt") == "input-1"
    assert masker.host("node17") == "host-1"
    assert masker.text("CUDA out of memory") == "[18 characters masked]"


def test_level_none_shows_everything() -> None:
    masker = Masker("none")
    line = "joe@node17:/home/joe/x.py --token abc GPU-5ebe9f43"

    assert [masker.text(line), masker.process_name(line), masker.source(line), masker.host(line)] == [line] * 4
    assert [masker.user(line), masker.uuid(line), masker.serial(line)] == [line] * 3


def test_summary_says_that_a_guess_can_fail() -> None:
    assert "guess" in Masker().summary()
    assert "guess" in Masker("all").summary()
    assert Masker("none").summary().startswith("Nothing was masked")

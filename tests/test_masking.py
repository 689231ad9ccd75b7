"""A report can be shared: what tells who and where is gone, what matters for the GPUs is still there."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from typing import NamedTuple

import pytest

from smianalyze.masking import Masker
from smianalyze.secret_text import MASK, without_secrets

LETTERS = string.ascii_letters + string.digits
CAPITALS = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
URL_SAFE = LETTERS + "_-"
# Prefix, letters and length of secrets that give themselves away.
PREFIXED = {
    "anthropic": ("sk-ant-api03-", URL_SAFE, 80),
    "aws": ("AKIA", CAPITALS, 16),
    "aws-session": ("ASIA", CAPITALS, 16),
    "databricks": ("dapi", HEX, 32),
    "digitalocean": ("dop_v1_", HEX, 64),
    "docker": ("dckr_pat_", URL_SAFE, 27),
    "github": ("ghp_", LETTERS, 36),
    "github-app": ("ghs_", LETTERS, 36),
    "github-fine": ("github_pat_", LETTERS + "_", 82),
    "gitlab": ("glpat-", URL_SAFE, 20),
    "google": ("AIza", URL_SAFE, 35),
    "grafana": ("glsa_", LETTERS, 32),
    "groq": ("gsk_", LETTERS, 52),
    "huggingface": ("hf_", string.ascii_letters, 34),
    "npm": ("npm_", LETTERS, 36),
    "nvidia": ("nvapi-", URL_SAFE, 64),
    "openai": ("sk-", LETTERS, 48),
    "openai-project": ("sk-proj-", URL_SAFE, 100),
    "pypi": ("pypi-AgEIcHlwaS5vcmc", URL_SAFE, 100),
    "replicate": ("r8_", LETTERS, 37),
    "sendgrid": ("SG.", LETTERS, 22),
    "slack": ("xoxb-", string.digits + "-", 24),
    "stripe": ("sk_live_", LETTERS, 24),
    "vault": ("hvs.", URL_SAFE, 90),
}
FLAGS = (
    "api-key",
    "api_key",
    "token",
    "hf-token",
    "auth-token",
    "password",
    "secret",
    "db-password",
    "client-secret",
)
FLAGS += ("credential", "access-key", "wandb-key", "key", "passwd", "secret_access_key", "registry-token")
VARIABLES = ("HF_TOKEN", "WANDB_API_KEY", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "KEY", "TOKEN", "MY_SECRET")
VARIABLES += ("GOOGLE_CREDENTIAL", "MYSQL_PASS", "apiKey", "accessToken", "clientSecret", "openai.api_key")


class Canary(NamedTuple):
    """A text with a secret in it."""

    kind: str
    text: str
    secret: str


def drawn(draw: random.Random, letters: str, length: int) -> str:
    return "".join(draw.choices(letters, k=length))


def with_prefix() -> list[Canary]:
    draw = random.Random(1)  # noqa: S311 - repeatable, no secret
    places = (
        "using {}",
        "python train.py {}",
        "Error 401: {} is not valid",
        "/data/{}/x.py",
        "a={},b",
        '"{}"',
    )
    canaries = []
    for kind, (prefix, letters, length) in PREFIXED.items():
        for place in places:
            secret = prefix + drawn(draw, letters, length)
            secret += f".{drawn(draw, LETTERS, 43)}" if kind == "sendgrid" else ""
            canaries.append(Canary(kind, place.format(secret), secret))
    for place in places:
        claims = ".".join(("eyJhbGciOiJIUzI1NiJ9", "eyJ" + drawn(draw, URL_SAFE, 60), drawn(draw, URL_SAFE, 43)))
        canaries.append(Canary("jwt", place.format(claims), claims))
        body = drawn(draw, LETTERS + "+/", 64)
        block = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
        canaries.append(Canary("key-block", place.format(block), body))
        canaries.append(Canary("key-block-line", f"{body}\n", body))
    return canaries


def word(draw: random.Random) -> str:
    """A password as people or machines make them; never a plain number, which is a count more often."""
    return draw.choice(
        (
            drawn(draw, LETTERS, draw.randint(8, 40)) + "x",
            drawn(draw, HEX, 40) + "f",
            f"{draw.choice(('hunter', 'correct-horse-', 'S3same!', 'pa$$w0rd'))}{drawn(draw, HEX, 5)}z",
            drawn(draw, LETTERS + "+/", 43) + "=",
        )
    )


def with_name() -> list[Canary]:
    draw = random.Random(2)  # noqa: S311 - repeatable, no secret
    ways: dict[str, tuple[str, tuple[str, ...]]] = {
        "flag value": ("python3 -m train --lr 0.1 --{} {} --epochs 3", FLAGS),
        "flag=value": ("python3 train.py --{}={}", FLAGS),
        "flag 'value'": ("python3 train.py --{} '{}' --x", FLAGS),
        "list": ("Command '['python', '--{}', '{}', '--lr', '0.1']' died", FLAGS),
        "variable": ("{}={} python train.py", VARIABLES),
        "export": ('export {}="{}"; python train.py', VARIABLES),
        "json": (
            '{{"lr": 0.1, "{}": "{}", "steps": 3}}',
            ("password", "api_key", "token", "secret", "auth_token"),
        ),
        "yaml": ("  {}: {}", ("password", "api_key", "client_secret", "access_token")),
        "namespace": ("Namespace(lr=0.1, {}='{}', x=1)", ("password", "api_key", "token", "secret")),
        "query": ("GET https://example.com/x?{}={}&page=2", ("api_key", "token", "access_token")),
        "header": ("curl -H '{}: Bearer {}' x", ("Authorization",)),
        "url": ("https://{}:{}@example.com/repo.git", ("joe", "oauth2", "x-access-token")),
    }
    canaries = []
    for kind, (place, names) in ways.items():
        for _ in range(25):
            secret = word(draw)
            canaries.append(Canary(kind, place.format(draw.choice(names), secret), secret))
    return canaries


def ordinary_commands(number: int) -> list[str]:
    """Command lines as people run them, with the words that a careless search would take for secrets."""
    draw = random.Random(3)  # noqa: S311 - repeatable, no secret
    programs = (
        "python train.py",
        "torchrun --nproc-per-node 8 main.py",
        "accelerate launch run.py",
        "vllm serve m",
    )
    variables = (
        "CUDA_VISIBLE_DEVICES=0,1",
        "TOKENIZERS_PARALLELISM=false",
        "OMP_NUM_THREADS=8",
        "NCCL_DEBUG=INFO",
    )
    variables += (
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        "WANDB_RUN_ID={hex}",
        "MAX_TOKENS={int}",
    )
    variables += (
        "CUDA_VISIBLE_DEVICES=GPU-{hex}",
        "HF_HOME=/data/hf",
        "SSH_AUTH_SOCK=/tmp/ssh-XX/agent.12",
        "",
    )
    flags = ("--max-tokens {int}", "--pad-token <pad>", "--eos_token '</s>'", "--num-key-value-heads {int}")
    flags += (
        "--tokenizer llama-3-8b-instruct",
        "--key-dim {int}",
        "--sort-key length",
        "--tokens-per-batch {int}",
    )
    flags += (
        "--commit {hex}",
        "--run-id {hex}",
        "--image app@sha256:{hex}",
        "--use_auth_token True",
        "--lr 3e-4",
    )
    flags += ("--data /data/imagenet/train", "--monitor-key val/loss", "--keyframes {int}", "--passes {int}")
    flags += ("--author someone", "--secretary-dim {int}", "--token_dropout 0.1", "--token-budget {int}")
    flags += (
        "--token $HF_TOKEN",
        "--password-file /run/pw",
        "--compass north",
        "--bypass-check",
        "--max_token {int}",
    )
    flags += ("--name sk-learn-baseline-run", "--model hf_model_with_long_name_base", "--n_tokens={int}")
    flags += (
        "--resume ckpt_{hex}.pt",
        "--output_dir=runs/exp-{int}",
        "--special_token_id {int}",
        "--keys a b c",
    )
    lines = []
    for _ in range(number):
        parts = (draw.choice(variables), draw.choice(programs), *draw.sample(flags, k=draw.randint(2, 6)))
        line = " ".join(filter(None, parts))
        lines.append(line.replace("{hex}", drawn(draw, HEX, 32)).replace("{int}", str(draw.randint(1, 99_999))))
    return lines


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

"""Texts with a secret in them, and ordinary command lines without one."""

from __future__ import annotations

import random
import string
from typing import NamedTuple

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

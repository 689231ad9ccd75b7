"""Finds secrets in a line of text, by their shape alone.

Four kinds of evidence: a prefix that only one kind of secret has (``ghp_``), a login in a URL, a key block,
and a telling word in front (``--api-key x``, ``HF_TOKEN=x``, ``"password": "x"``). What merely looks random
counts only behind such a word, because inputs are full of UUIDs and hashes. A guess can fail.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable

MASK = "[masked]"

# At least 16 letters behind a prefix: real ones are longer, and program names that start alike are shorter.
_PREFIXED = (
    r"gh[oprsu]_[A-Za-z0-9]{16,255}|github_pat_\w{16,255}",
    r"gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-[\w-]{16,255}",
    r"(?:hf|api_org|gsk|npm|ntn|phc|phx|r8|[rs]k_live|[rs]k_test|pk_live|pk_test)_[A-Za-z0-9]{16,255}",
    r"(?:A3T[A-Z0-9]|A[BCGIKNPRS][A-Z]A)[A-Z0-9]{16}(?![A-Za-z0-9])",
    r"AIza[\w-]{30,60}|ya29\.[\w-]{16,2048}|GOCSPX-[\w-]{16,64}",
    r"xox[a-z](?:\.xox[a-z])?-[\w-]{10,255}|xapp-[\w-]{16,255}|hooks\.slack\.com/services/[\w/]{16,128}",
    r"discord(?:app)?\.com/api/webhooks/[\w/-]{16,255}",
    r"sk-(?=[a-z_-]{0,64}[A-Z0-9])[\w-]{16,255}",  # without a digit or capital it is a name: sk-learn-…
    r"(?:CFPAT|NRAK|PMAK|nvapi|pat-na1|pplx|pypi|tskey|xai|xkeysib)-[\w-]{16,2048}|AT[AC]TT3x[\w=-]{16,512}",
    r"(?:dckr_oat|dckr_pat|do[opr]_v1|figd|glsa|lin_api|lsv2_pt|lsv2_sk|tgp_v1|wandb_v1)_[\w+/=-]{16,512}",
    r"(?:shp(?:at|ca|pa|ss)|whsec|rubygems)_[A-Za-z0-9+/]{16,255}|secret_[A-Za-z0-9]{40,64}",
    r"sq0(?:atp|csp)-[\w-]{16,255}|hv[bs]\.[\w-]{16,512}|SG\.[\w-]{16,64}\.[\w-]{16,64}",
    r"dapi[0-9a-f]{32}|key-[0-9a-f]{32}|SK[0-9a-f]{32}|AGE-SECRET-KEY-1[A-Z0-9]{16,128}",
    r"eyJ[\w-]{8,8192}\.[\w-]{0,8192}(?:\.[\w-]{0,8192}){0,3}",  # JSON Web Token: base64 of {"
)
_KNOWN = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_PREFIXED)})", re.ASCII)
# user:password@; a slash may stand in a password, but not behind a port: http://host:80/x@y.
_URL_LOGIN = re.compile(r"(?<=://)(?:[^\s/?#]{1,512}@|[^\s/?#:@]{1,128}:(?![0-9]{1,5}/)[^\s@]{1,512}@)")
_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]{1,60}-----(?:[^-]|-(?!----END))*+(?:-----END [A-Z0-9 ]{1,60}-----)?"
    # A line of its own from the middle of a block.
    r"|^[ \t]{0,16}(?=[A-Za-z+/]{0,80}[0-9])[A-Za-z0-9+/]{60,80}={0,2}$",
    re.MULTILINE,
)

# Every one of these has as many such characters in a row; most lines have not.
_LONG_WORD = re.compile(r"[A-Za-z0-9_/+=-]{10}")
_TELLING = ("key", "token", "secret", "pass", "pwd", "credential", "auth", "bearer")
# Any word and what parts it from a value: as in a shell, JSON, a Python list or ``environ["KEY"] = x``.
_NAME = re.compile(
    r"(?<![A-Za-z0-9_.-])(?P<name>[A-Za-z0-9_.-]++)"
    r"(?:\\?[\"']?\]?[ \t]{0,4}(?P<assigns>=>|:=|==?|:)[ \t]{0,4}|[\"']?,?[ \t]{1,4})"
)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_VALUE = re.compile(
    r"(?:(?i:bearer|basic|digest) {1,3})?+"
    r"""(?:"(?P<double>(?:[^"\\]|\\.)*+)|'(?P<single>(?:[^'\\]|\\.)*+)|\\"(?P<escaped>[^"\\]*+)|(?P<bare>[^\s"']\S*+))""",
    re.DOTALL,
)
_CLOSING = ",;:)]}\"'"
_RANDOM = re.compile(r"[A-Za-z0-9+/_-]{16,512}={0,2}")
# Base64 of random bytes has over 3.5 bits a letter at this length, hexadecimal over 3, prose words less.
_RANDOM_BITS = 2.7
_HARMLESS_VALUE = re.compile(
    r"(?i:true|false|none|null|nil|yes|no|on|off|auto|str|bytes)"
    r"|\$\{?[A-Z_][A-Z0-9_]{0,63}\}?|\$\([^)]{0,255}\)?|<[^<>]{0,255}>|\*{1,64}|\[masked.{0,255}"
)
_NUMBER = re.compile(r"[+-]?[0-9]{1,12}(?:\.[0-9]{0,12})?(?:[eE][+-]?[0-9]{1,3})?(?:/[0-9]{1,12})?")

# Names in lower case with underscores between their parts.
_ISSUERS = (
    "access|account|admin|anthropic|api|app|auth|aws|azure|client|cohere|comet|consumer|deploy|encryption|gemini"
    "|google|groq|hf|hub|huggingface|license|login|master|mistral|neptune|ngc|nvidia|openai|private|refresh|registry"
    "|replicate|secret|security|service|session|signing|ssh|storage|subscription|together|user|wandb|webhook"
)
_SECRET_NAME = re.compile(
    r"(?:password|passwd|passphrase|passcode|pwd|secret|credential)s?$|authorization$"
    rf"|(?:{_ISSUERS})_?(?:keys?|token)$"
)
_KEY_NAME = re.compile(r"(?P<kind>token|(?:^|(?<=_))(?:key|auth|pass))(?P<many>s?)$")
# Words that make a key or a token one of data, of a vocabulary or of a count.
_HARMLESS_BEFORE_KEY = re.compile(
    "(?:^|_)(?:audio|batch|best|bos|cached?|cls|column|config|consumed|context|data|dict|end|eos|feature|field|first"
    "|foreign|generated|group|hash|image|img|index|input|join|label|last|map|mask|max|metric|min|missing|monitor|new"
    "|next|num|number|output|pad|param|partition|per|placeholder|prefill|prefix|prev|primary|prompt|public|query|row"
    "|seen|sep|sort|special|start|state|stop|suffix|target|text|think|total|train|two|unexpected|unk|video|vision"
    ")_?$"
)


def without_secrets(text: str, mask: Callable[[str], str] = lambda _: MASK) -> str:
    """The text with each secret replaced; the flag or name in front of it stays.

    Args:
        text: A line, or lines with a key block.
        mask: What stands in place of a secret.
    """
    if _LONG_WORD.search(text):
        text = _KEY_BLOCK.sub(lambda found: mask(found[0]), text)
        text = _KNOWN.sub(lambda found: mask(found[0]), text)
    if "://" in text:
        text = _URL_LOGIN.sub(lambda found: f"{mask(found[0][:-1])}@", text)
    return _without_named_secrets(text, mask) if _tells(text) else text


def _tells(text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in _TELLING)


def looks_random(word: str) -> bool:
    """Whether a word is long, has a digit and as many different letters as a random one."""
    if not _RANDOM.fullmatch(word) or word.isalpha():
        return False
    shares = [count / len(word) for count in Counter(word).values()]
    return -sum(share * math.log2(share) for share in shares) >= _RANDOM_BITS


def _without_named_secrets(text: str, mask: Callable[[str], str]) -> str:
    pieces, done, position = [], 0, 0
    while named := _NAME.search(text, position):
        position = named.end()
        secret = _secret_span(text, named)
        if secret:
            pieces += [text[done : secret[0]], mask(text[slice(*secret)])]
            done = position = secret[1]
    return "".join((*pieces, text[done:]))


def _secret_span(text: str, named: re.Match[str]) -> tuple[int, int] | None:
    """Where the secret behind a name stands, if the name tells that there is one."""
    name, assigns = named["name"], named["assigns"] or ""
    demand = _demand(name, assigns) if _tells(name) else None
    value = _VALUE.match(text, named.end()) if demand else None
    if demand is None or value is None or (not assigns and value[0].startswith("-")):
        return None
    group = value.lastgroup or "bare"
    word = value[group].rstrip(_CLOSING) if group == "bare" else value[group]
    if not word or _HARMLESS_VALUE.fullmatch(word) or not demand(word):
        return None
    return value.start(group), value.start(group) + len(word)


def _demand(name: str, assigns: str) -> Callable[[str], bool] | None:
    """What the value behind a name must be like to be a secret; nothing where the name tells of none."""
    parts = [part.lower() for part in _PARTS.findall(name)]
    spelled = "_".join(parts)
    is_flag = name.startswith("-")
    key = _KEY_NAME.search(spelled)
    is_secret = bool(_SECRET_NAME.search(spelled)) and (is_flag or spelled != "pwd")  # PWD is a folder
    if not assigns and not is_flag:
        return looks_random if is_secret or key or spelled == "bearer" else None
    if is_secret:
        return bool
    if not key or _HARMLESS_BEFORE_KEY.search(spelled[: key.start()]):
        return None
    is_certain = not key["many"] and (is_flag or name.isupper() or key["kind"] == "token")
    return _is_no_number if is_certain else looks_random


def _is_no_number(word: str) -> bool:
    return not _NUMBER.fullmatch(word)

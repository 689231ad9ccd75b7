"""Replaces what tells who and where, because a report is made to be shared.

Three levels. ``default`` keeps the names of programs and files and masks the rest: directories, arguments,
users, hosts, addresses, UUIDs, serials, secrets. ``all`` masks names too and quotes no text. ``none`` shows
all.
The same original gets the same alias (``host-1``) while a ``Masker`` lives; its map is never written.
Mask first and once, then clean with ``safe``: an alias is not recognised as one.
"""

from __future__ import annotations

import ipaddress
import itertools
import re
from collections import Counter
from collections.abc import Callable
from typing import Literal

from smianalyze.identities import IDENTITY, is_nobody, is_public_site, may_identify
from smianalyze.language import say, text
from smianalyze.private_fields import Kind
from smianalyze.secret_text import MASK, looks_random, without_secrets

Level = Literal["default", "all", "none"]

_SUMMARIES: dict[Level, str] = {
    "default": text(
        "Masked: directories and arguments of processes and files, and in quoted text also users, hosts,"
        " addresses, UUIDs, serials and what looks like a secret; this is a guess and can miss something."
    ),
    "all": text(
        "Masked: names of processes and inputs, hosts, users and UUIDs, and no text of an input is quoted;"
        " what identifies you is a guess and can miss something."
    ),
    "none": text("Nothing was masked: users, hosts, paths and secrets of the inputs are shown as they are."),
}

# What nvidia-smi prints where it has no name.
NO_NAME = frozenset(
    ("", "-", "N/A", "[N/A]", "[Not Found]", "[Insufficient Permissions]", "Insufficient Permissions")
)
CUT = "..."
_WINDOWS_PROGRAM = re.compile(r"[^\"=]{1,1024}?\\[^\"=]{1,1024}?\.exe(?![^\s\"'])", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\\/]+")
_SUFFIX = re.compile(r"[A-Za-z0-9_+-]\.[A-Za-z0-9]{1,8}$")
_PROGRAM_FOLDERS = frozenset(("bin", "sbin", "libexec", "."))
_HOMES = frozenset(("home", "users"))

_LETTERED = frozenset(("gpu", "mig", "uuid"))
_CASELESS = frozenset(("address", "gpu", "host", "mig", "uuid"))
_MAC = re.compile("(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")
_DOTTED = re.compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}")
# A host or user that was met before is known again where nothing around it tells; plain words are left alone.
WORD = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*+")
_DISTINCT = re.compile(r"(?=.{0,63}[0-9._-])(?:[A-Za-z].{3,63}|[A-Za-z0-9-]{10,64})")  # no short number
# Cards are called so: a host or user of that name must not give another name to a card.
_MODEL = re.compile(r"(?i:[abghklptv]|g[bh]|mi|[rg]tx)[0-9]{2,4}[A-Za-z]{0,2}")
_MARKS = "._-"  # that part a word into pieces
_FQDN_LABELS = 3  # node17.example.com, and not node17.log
_ALIAS = re.compile(r"(?:address|host|input|process|serial|user)-[0-9]{1,9}")


class Masker:
    """Gives aliases for one run.

    Args:
        level: What to mask: ``default``, ``all`` or ``none``.
    """

    def __init__(self, level: Level = "default") -> None:
        self.level = level
        self._aliases: dict[tuple[str, str], str] = {}
        self._number = Counter[str]()
        self._known: dict[str, str] = {}
        self._files: dict[str, str] = {}
        self._by_field: dict[Kind, Callable[[str], str]] = {
            "host": self.host,
            "machine": self.host,
            "process": self.process_name,
            "program": self.process_name,
            "serial": self.serial,
            "user": self.user,
            "uuid": self.uuid,
        }
        self._by_kind = {
            "uuid": self.uuid,
            "account": self._account,
            "host": self._named_host,
            "hosts": self._named_hosts,
            "user": self._named_user,
            "address": self._address,
            "serial": self.serial,
            "path": self._path,
        }

    @property
    def aliases(self) -> dict[tuple[str, str], str]:
        """What got an alias so far: its kind, the original, and the alias."""
        return dict(self._aliases)

    def process_name(self, name: str) -> str:
        """The program's name without directories and arguments; a name cut by nvidia-smi keeps its dots."""
        if self.level == "none" or name in NO_NAME:
            return name
        return _program(name) if self.level == "default" else self._alias("process", name)

    def source(self, name: str) -> str:
        """The name of an input without its directories; a number tells inputs of the same name apart."""
        if self.level == "none":
            return name
        if self.level == "all":
            return self._alias("input", name)
        if name not in self._files:
            base = without_secrets(last_part(name))
            names = itertools.chain((base,), (f"{base} ({number})" for number in itertools.count(2)))
            taken = set(self._files.values())
            self._files[name] = next(candidate for candidate in names if candidate not in taken)
        return self._files[name]

    def host(self, name: str) -> str:
        """An alias for a host: ``host-1``."""
        return self._learned("host", name)

    def user(self, name: str) -> str:
        """An alias for a user: ``user-1``."""
        return self._learned("user", name)

    def uuid(self, uuid: str) -> str:
        """An alias for a UUID: ``gpu-a``, ``mig-a``; letters, because numbers are GPU indexes."""
        head = uuid[:4].lower()
        return self._alias(head[:3] if head in ("gpu-", "mig-") else "uuid", uuid)

    def serial(self, serial: str) -> str:
        """An alias for a serial number: ``serial-1``."""
        return self._learned("serial", serial)

    def field(self, kind: Kind, value: str) -> str:
        """An alias for the value of a field of this kind; what stands for no value stays."""
        return value if value in NO_NAME else self._by_field[kind](value)

    def text(self, line: str) -> str:
        """A line of an input for quoting, without identities and secrets; ``all`` tells its length only."""
        return say("[{number} characters masked]", number=len(line)) if self.level == "all" else self.value(line)

    def value(self, text: str) -> str:
        """A text that is no line, such as a list of devices, without identities and secrets."""
        if self.level == "none":
            return text
        named = without_secrets(text)
        return self._remembered(IDENTITY.sub(self._aliased, named) if may_identify(named) else named)

    def summary(self) -> str:
        """One sentence for the reader of a report on what was masked, and that a guess can fail."""
        return say(_SUMMARIES[self.level])

    def _alias(self, kind: str, original: str) -> str:
        if self.level == "none":
            return original
        key = (kind, original.lower() if kind in _CASELESS else original)
        if key not in self._aliases:
            self._number[kind] += 1
            self._aliases[key] = self._spelled(kind, original, self._number[kind])
        return self._aliases[key]

    def _spelled(self, kind: str, original: str, number: int) -> str:
        return f"{kind}-{_letters(number) if kind in _LETTERED else number}"

    def _learned(self, kind: str, original: str) -> str:
        alias = self._alias(kind, original)
        if _DISTINCT.fullmatch(original) and not (_ALIAS.fullmatch(original) or _MODEL.fullmatch(original)):
            self._known[original.lower()] = alias
        return alias

    def _remembered(self, text: str) -> str:
        """The text with all names that were met before masked, also where they are a piece of a word."""
        return WORD.sub(lambda word: self._in_word(word[0]), text) if self._known else text

    def _in_word(self, word: str, marks: str = _MARKS) -> str:
        known = self._known.get(word.lower())
        if known is not None or not marks:
            return known or word
        pieces = word.split(marks[0])
        if len(pieces) >= _FQDN_LABELS and ("host", pieces[0].lower()) in self._aliases:
            return self.host(word)
        return marks[0].join(piece if piece.isdigit() else self._in_word(piece, marks[1:]) for piece in pieces)

    def _aliased(self, found: re.Match[str]) -> str:
        group = found.lastgroup or ""
        start, end = (place - found.start() for place in found.span(group))
        alias = self._by_kind[group.partition("_")[0]](found[group])
        return found[0][:start] + alias + found[0][end:]

    def _account(self, account: str) -> str:
        user, _, host = account.rpartition("@")
        return f"{self._named_user(user)}@{self._named_host(host)}"

    def _named_user(self, name: str) -> str:
        return name if is_nobody(name) else self.user(name)

    def _named_host(self, name: str) -> str:
        if is_nobody(name) or is_public_site(name):
            return name
        return self._address(name) if _DOTTED.fullmatch(name) else self.host(name)

    def _named_hosts(self, slots: str) -> str:
        """Of node01:8,node02:8."""
        pairs = [entry.partition(":") for entry in slots.split(",")]
        return ",".join(f"{self._named_host(host)}{colon}{count}" for host, colon, count in pairs)

    def _address(self, text: str) -> str:
        address = _canonical(text)
        return self._alias("address", address) if address else text

    def _path(self, path: str) -> str:
        bar = "\\" if "\\" in path else "/"
        parts = _SEPARATORS.split(path)
        shown = (self._path_part(parts, place) for place in range(len(parts)))
        return bar.join(part for part, _ in itertools.groupby(shown))

    def _path_part(self, parts: list[str], place: int) -> str:
        """A file's name, the alias of a home's owner, or an ellipsis; what has no suffix may be a folder."""
        part, folder = parts[place], parts[place - 1].lower() if place else ""
        if folder in _HOMES:
            return self._named_user(part) if part else part
        if place == 0 and part.startswith(CUT):
            return CUT
        if place == 0:
            return f"~{self._named_user(part[1:])}" if part.startswith("~") and part != "~" else part
        if not part or part.lower() in _HOMES:
            return part
        is_file = place == len(parts) - 1 and (_SUFFIX.search(part) or folder in _PROGRAM_FOLDERS)
        return self._file(part) if is_file else self._folder(part)

    def _file(self, name: str) -> str:
        return IDENTITY.sub(self._aliased, name)

    def _folder(self, name: str) -> str:
        return "…"


def _canonical(text: str) -> str:
    """One spelling for an address; empty for a version, a time of day and addresses of no machine."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text.lower() if _MAC.fullmatch(text) else ""
    return "" if address.is_loopback or address.is_unspecified else str(address)


def program_path(command: str) -> str:
    """The path of the program in a command line, as it stands there; empty if there is none."""
    rest = command.removeprefix(CUT).lstrip("\"'")
    windows = _WINDOWS_PROGRAM.match(rest)
    # A word with = is an argument or a variable, and all that is left of some names is the end of one.
    words = [word for word in rest.split() if "=" not in word]
    return (windows[0] if windows and " -" not in windows[0] else "".join(words[:1])).strip("\"'")


def _program(command: str) -> str:
    cut = CUT if command.startswith(CUT) else ""
    path = program_path(command)
    base = without_secrets(last_part(path))
    if not _SEPARATORS.search(path):
        return f"{cut}{MASK if not base or (cut and looks_random(base)) else base}"
    bar = "\\" if "\\" in path else "/"
    return f"{cut}{bar if cut else ''}{base or MASK}"


def last_part(path: str) -> str:
    """What a path names, without the folders before it."""
    return next((part for part in reversed(_SEPARATORS.split(path)) if part), "")


def _letters(number: int) -> str:
    """1 is a, 26 is z, 27 is aa."""
    letters = ""
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters

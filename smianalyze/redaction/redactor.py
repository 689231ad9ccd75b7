"""The lines of an input with every name of somebody replaced by another of the same width.

It is ``masking`` for those who want the input itself: nothing moves, so that a table stays a table, and what is
replaced still has its shape, so that it is read as before. A key block and a CSV header last for several lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from smianalyze.identities import IDENTITY, may_identify
from smianalyze.masking import CUT, NO_NAME, Level, Masker, last_part, program_path
from smianalyze.redaction.private_lines import PrivateLines
from smianalyze.redaction.pseudonyms import Pseudonyms, filled, hidden, is_hidden, numbered, shown, width
from smianalyze.secret_text import looks_random, without_secrets

MAX_KEY_LINES = 400  # of a key block that does not end: RSA keys of 16 Kbit have 200
MEMO_LINES = 4_096  # that are remembered: tables repeat their borders and headings
# Folders of an operating system or of Python; they tell what was started and not by whom.
_PUBLIC_FOLDERS = frozenset(
    (
        *(
            "usr",
            "bin",
            "sbin",
            "lib",
            "lib64",
            "libexec",
            "local",
            "opt",
            "share",
            "etc",
            "var",
            "run",
            "tmp",
            "mnt",
        ),
        *(
            "data",
            "root",
            "home",
            "users",
            "srv",
            "snap",
            "cuda",
            "python",
            "site-packages",
            "dist-packages",
            "envs",
        ),
        *("venv", ".venv", "conda", "miniconda3", "anaconda3", "xorg", "windows", "system32", ".", "..", "..."),
    )
)
_NUMBERED = frozenset(("address", "serial"))  # they keep their form; numbers of one length are counted together
_PYTHON = re.compile(r"(?:python|cuda)-?[0-9]{1,2}(?:\.[0-9]{1,2})?")
_PROMPT_ENDS = "$#%"  # joe@node01:~/work$
_ALNUM = re.compile(r"[A-Za-z0-9]+")
_BARS = re.compile(r"([\\/]+)")
_UUID = re.compile(r"((?:GPU|MIG)-)?([0-9A-Fa-f]{1,8})((?:-[0-9A-Fa-f]{1,12}){0,4})", re.IGNORECASE)
_WHOLE_UUID = re.compile("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_HEAD_OF_UUID = re.compile(r"(?:GPU|MIG)-([0-9A-Fa-f-]{1,35})[\s|]*+$")
_REST_OF_UUID = re.compile(r"[>|\s]*+([0-9A-Fa-f-]{1,35})(?![0-9A-Fa-f-])")
_ID = re.compile(r"[0-9A-Fa-f-]+")
_WHOLE_TAIL = len("-0000-0000-0000-000000000000")
_NOTHING = re.compile(r"(?:0x)?0*")
_KEY_BEGINS = re.compile(r"-----BEGIN [A-Z0-9 ]{1,60}-----")
_KEY_BODY = re.compile(r"[>|\s]*+(?:[A-Za-z0-9+/=]{0,128}|[A-Za-z-]{1,32}: .{0,128})[|\s]*")
_KEY_ENDS = re.compile(r"-----END [A-Z0-9 ]{1,60}-----")


class Redactor(Masker):
    """Redacts the lines of one run; the same original gets the same name in all of its inputs.

    Args:
        level: ``default``, ``all`` (names of programs and files too) or ``none``.
        also: Further words to replace wherever they stand: a project, a user without digits.
        csv_columns: Fields in order of CSV rows that no header names.
    """

    def __init__(self, level: Level = "default", *, also: Iterable[str] = (), csv_columns: str = "") -> None:
        super().__init__(level)
        self._pseudonyms = Pseudonyms()
        self._heads: dict[str, tuple[int, dict[str, int]]] = {}
        self._memo: dict[str, str] = {}
        self._key_lines = 0
        self._csv_columns = csv_columns
        self._secrets: set[str] = set()
        self._by_field = {
            "host": self._named_host,
            "machine": self._machine,
            "process": self._process,
            "program": self._program,
            "serial": self.serial,
            "user": self._named_user,
            "uuid": self.uuid,
        }
        for word in also:
            self._known[word.lower()] = self._alias("word", word)
        self.begin()

    def begin(self) -> None:
        """Another input begins."""
        self._key_lines = 0
        self._uuid_head = ""
        self._lines = PrivateLines(self.field, self._csv_columns)

    def line(self, line: str) -> str:
        """One line of an input without its end; it holds no terminal sequences."""
        if self.level == "none":
            return line
        if self._is_in_key(line):
            return filled(line)
        known = len(self._known)
        named = self._lines.redacted(without_secrets(self._unwrapped(line), self._crossed_out))
        if (done := self._memo.get(named)) is None:
            done = self._memo[named] = shown(self._anywhere(named))
        if len(self._known) != known or len(self._memo) > MEMO_LINES:
            self._memo.clear()
        return done

    def file_name(self, path: str) -> str:
        """The name for a file of the output: that of the input, without what is known of its owner."""
        known = _ALNUM.sub(lambda word: self._known.get(word[0].lower(), word[0]), self.source(path))
        return shown(known)

    def counts(self) -> dict[str, int]:
        """How many different things of each kind were replaced."""
        counts = Counter(secret=len(self._secrets), uuid=len(self._heads))
        for kind, count in self._number.items():
            counts[kind.partition("/")[0]] += count
        return {kind: count for kind, count in sorted(counts.items()) if count}

    def host(self, name: str) -> str:
        """A host's name and its domain apart, so that both spellings of a host share their beginning."""
        label, dot, domain = name.partition(".")
        alias = self._learned("host", label) + dot + (self._alias("domain", domain) if domain else "")
        if dot:
            self._known[name.lower()] = alias
        return alias

    def uuid(self, uuid: str) -> str:
        """A number for its first digits and 0 for the others: a cut UUID still begins like the whole one."""
        form = _UUID.fullmatch(uuid)
        if form is None or _NOTHING.fullmatch(form[2] + form[3].replace("-", "")):
            return uuid if form else self.serial(uuid)
        mark, head, tail = form[1] or "", form[2], form[3]
        number, tails = self._heads.setdefault(head.lower(), (len(self._heads) + 1, {}))
        twin = tails.setdefault(tail.lower(), len(tails)) if len(tail) == _WHOLE_TAIL else 0
        return hidden(mark + str(number).zfill(len(head)) + numbered(tail, twin))

    def serial(self, serial: str) -> str:
        """A number in the form of the original."""
        return serial if serial in NO_NAME or _NOTHING.fullmatch(serial) else super().serial(serial)

    def _anywhere(self, line: str) -> str:
        """What is known by its looks or from other lines."""
        return self._remembered(IDENTITY.sub(self._aliased, line) if may_identify(line) else line)

    def _unwrapped(self, line: str) -> str:
        """The line without the rest of a UUID whose beginning ended the line before."""
        head, rest = self._uuid_head, _REST_OF_UUID.match(line)
        begun = _HEAD_OF_UUID.search(line)
        self._uuid_head = begun[1] if begun else ""
        if not (head and rest and _WHOLE_UUID.fullmatch(head + rest[1])):
            return line
        return line[: rest.start(1)] + hidden(numbered(rest[1], 0)) + line[rest.end(1) :]

    def _is_in_key(self, line: str) -> bool:
        """Whether this is a line inside or at the end of a key block."""
        ends = _KEY_ENDS.search(line)
        inside = self._key_lines > 0 and bool(ends or _KEY_BODY.fullmatch(line))
        self._key_lines = self._key_lines - 1 if inside and not ends else 0
        if not ends and _KEY_BEGINS.search(line):
            self._key_lines = MAX_KEY_LINES
        return inside

    def _crossed_out(self, secret: str) -> str:
        self._secrets.add(secret)
        return hidden(filled(secret))

    def _machine(self, name: str) -> str:
        """The id or the name of a virtual machine, perhaps cut."""
        whole, cut = name.removesuffix(CUT), CUT if name.endswith(CUT) else ""
        return self._alias("serial" if _ID.fullmatch(whole) else "vm", whole) + cut if whole else name

    def _program(self, name: str) -> str:
        return self._alias("process", name) if self.level == "all" else name

    def _process(self, command: str) -> str:
        """A command without folders and arguments."""
        path = program_path(command)
        start = command.find(path)
        base = last_part(path)
        at = start + path.rindex(base) if base else start
        end = at + len(base)
        lead = CUT if command.startswith(CUT) else ""
        is_odd = not base or (at == len(lead) > 0 and looks_random(base))
        name = filled(base) if is_odd else self._program(base)
        before = hidden(filled(command[len(lead) : start]))
        return lead + before + self._path(command[start:at]) + hidden(name + filled(command[end:]))

    def _alias(self, kind: str, original: str) -> str:
        if is_hidden(original):
            return original
        return super()._alias(f"{kind}/{len(original)}" if kind in _NUMBERED else kind, original)

    def _spelled(self, kind: str, original: str, number: int) -> str:
        if kind.partition("/")[0] in _NUMBERED:
            return hidden(numbered(original, number))
        return hidden(self._pseudonyms.named(kind, number, width(original)))

    def _address(self, text: str) -> str:
        return self._alias("address", text) if super()._address(text) != text else text

    def _path(self, path: str) -> str:
        plain = path.rstrip(_PROMPT_ENDS)
        pieces = _BARS.split(plain)
        parts = pieces[0::2]
        pieces[0::2] = [self._path_part(parts, place) for place in range(len(parts))]
        return "".join(pieces) + path[len(plain) :]

    def _path_part(self, parts: list[str], place: int) -> str:
        part = parts[place]
        if place == 0 and part.startswith(CUT):
            return CUT + (self._folder(part[len(CUT) :]) if part != CUT else "")
        return super()._path_part(parts, place)

    def _file(self, name: str) -> str:
        if self.level != "all":
            return super()._file(name)
        stem, dot, suffix = name.rpartition(".")
        return self._alias("file", stem) + dot + suffix if stem else self._alias("file", name)

    def _folder(self, name: str) -> str:
        if not name or name.lower() in _PUBLIC_FOLDERS or _PYTHON.fullmatch(name.lower()):
            return name
        return self._alias("dir", name)

"""Values that are private by their place: in a column of a CSV or of ``top``, behind a label, in a tag."""

from __future__ import annotations

import re
from collections.abc import Callable

from smianalyze.fields import is_field
from smianalyze.private_fields import UNIT, Kind, kind_of

_LABELLED = re.compile(r"[ \t]*(?P<label>[A-Za-z][A-Za-z0-9 _./-]{0,60}?)[ \t]*:[ \t]+(?P<value>[^\r]*[^\s])")
_TAGGED = re.compile(r"<(?P<tag>[A-Za-z][A-Za-z0-9_.-]{0,60})>(?P<value>[^<>]*)</")
# A cell of a CSV and the mark in front of it; a quote may hold the mark.
_CELLS = {
    mark: re.compile(rf'(?:^|{mark})((?: {{0,9}}"(?:[^"]|"")*+"(?=[ \r]{{0,9}}(?:{mark}|$)))?+[^{mark}]*+)')
    for mark in (",", ";", "\t")
}
_NAME_OF_A_FIELD = re.compile(r"\s*\"?[A-Za-z][A-Za-z0-9_.()/ -]{0,80}(?: ?\[[^\[\]]{0,16}\])?\"?\s*")
# What may stand in a column, as another table may follow without a header.
_VALUE = {
    "host": re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,255}"),
    "machine": re.compile(r".{1,256}"),
    "process": re.compile(r".+", re.DOTALL),
    "serial": re.compile(r"0x[0-9A-Fa-f]{8,32}|(?=[A-Za-z-]{0,31}[0-9])[A-Za-z0-9-]{6,32}"),
    "user": re.compile(r"[A-Za-z_][A-Za-z0-9_.+-]{0,63}"),
    "uuid": re.compile(r"[A-Za-z0-9-]{8,64}"),
}
_WORD = re.compile(r"\S+")
# | 0  N/A  N/A   1234    C   python3          612MiB |
_PROCESS_ROW = re.compile(
    r"\| +[0-9]{1,4} [^|]{1,48}? (?:C|G|C\+G|M\+C|M) +(?P<value>[^|\s](?:[^|]{0,100}[^|\s])?)"
    r" +(?:[0-9]{1,9}MiB|N/A) +\|"
)
# | 3251634811  GRID RTX600... | 7e61...  instance-0000004a   |     17%    |
_VGPU_ROW = re.compile(
    r"\| {2,8}[0-9]{1,12} +[^|]{1,80}\| (?P<id>[^|\s:]{1,64}) +(?P<value>[^|\s](?:[^|]{0,64}[^|\s])?) +\|"
)
# 44120 joe  20   0   38.1g …, picked out of top without its heading
_TOP_ROW = re.compile(
    r"[ \t]{0,16}[0-9]{1,9} {1,9}(?P<value>[A-Za-z_][^ ]{0,31}) {1,9}(?:rt|-?[0-9]{1,3})"
    r" {1,9}-?[0-9]{1,3} {1,9}[0-9.,]{1,12}[mgtp]? "
)
_PMON_ROW = re.compile(r"\s*[0-9]{1,4}\s+[0-9]{1,9}\s")
_NUMBERED = frozenset(("PID", "JOBID"))
_NUMBER = re.compile(r"[0-9][0-9_.+,\[\]%-]{0,63}")
_OWNER = frozenset(("USER", "UID", "UNAME"))
_HOSTS = re.compile(r"NODELIST(?:\(REASON\))?|HOSTNAMES?|NODEHOST")
Redact = Callable[[Kind, str], str]


class PrivateLines:
    """Replaces private values by their places; a header holds until the next one.

    Args:
        redact: What replaces a value of a kind.
        csv_columns: Fields in order of rows without a header, separated by commas.
    """

    def __init__(self, redact: Redact, csv_columns: str = "") -> None:
        self._redact = redact
        self._mark = ","
        self._columns: dict[int, Kind] = {}
        self._count = 0
        self._owners: dict[int, Kind] = {}
        self._number = 0
        self._label = ""
        self._lists_vgpus = False
        self._pmon_columns = 0
        if csv_columns:
            self._take_header(csv_columns)

    def redacted(self, line: str) -> str:
        """The line with what its place tells to be private replaced."""
        if "|" in line:
            return self._box(line)
        if "</" in line:
            return _TAGGED.sub(self._tag, line)
        labelled = _LABELLED.match(line) if ":" in line else None
        if labelled:
            return self._labelled(line, labelled)
        if self._take_header(line) or self._take_list(line):
            return line
        if self._columns and line.count(self._mark) >= self._count - 1:
            line = self._row(line)
        if self._owners:
            return self._listed(line)
        row = _TOP_ROW.match(line)
        return self._of_user(line, row) if row else self._monitored(line)

    def _of_user(self, line: str, row: re.Match[str]) -> str:
        start, end = row.span("value")
        return line[:start] + self._redact("user", line[start:end]) + line[end:]

    def _box(self, line: str) -> str:
        """A row of the table of nvidia-smi or of its vGPUs."""
        if "Driver Version" in line or "VM Name" in line:
            self._lists_vgpus = "VM Name" in line
        line = _PROCESS_ROW.sub(lambda found: self._within(found, self._redact("program", found["value"])), line)
        return _VGPU_ROW.sub(self._machine, line) if self._lists_vgpus else line

    def _machine(self, found: re.Match[str]) -> str:
        """The id and the name of a virtual machine."""
        start, end = (place - found.start() for place in found.span("id"))
        named = self._within(found, self._redact("machine", found["value"]))
        return named[:start] + self._redact("machine", found["id"]) + named[end:]

    def _monitored(self, line: str) -> str:
        """A row of ``pmon``: the name stands in the last column and may have blanks."""
        if line.lstrip().startswith("# gpu "):
            words = line.split()[1:]
            self._pmon_columns = len(words) if words[-1] == "command" else 0
        if not self._pmon_columns or not _PMON_ROW.match(line):
            return line
        words = line.split(None, self._pmon_columns - 1)
        if len(words) < self._pmon_columns:
            return line
        name = words[-1].rstrip()
        start = line.rindex(name)
        return line[:start] + self._redact("program", name) + line[start + len(name) :]

    def _tag(self, found: re.Match[str]) -> str:
        kind = kind_of(found["tag"])
        return self._within(found, self._redact(kind, found["value"])) if kind and found["value"] else found[0]

    @staticmethod
    def _within(found: re.Match[str], value: str) -> str:
        start, end = (place - found.start() for place in found.span("value"))
        return found[0][:start] + value + found[0][end:]

    def _labelled(self, line: str, found: re.Match[str]) -> str:
        """A line of ``-q``: its processes have a name behind their type."""
        label, before = found["label"], self._label
        self._label = label
        kind = kind_of(label)
        if label == "Name" and before == "Type":
            kind = "process"
        if kind is None or kind == "host":  # a host is also known by its label in prose
            return line
        value = found["value"]
        if kind != "process" and not _VALUE[kind].fullmatch(value):
            return line
        return line[: found.start("value")] + self._redact(kind, value) + line[found.end("value") :]

    def _take_header(self, line: str) -> bool:
        """Whether this line names the columns of a CSV."""
        mark = next((mark for mark in _CELLS if mark in line), "")
        cells = line.split(mark) if mark else []
        if not cells or not all(_NAME_OF_A_FIELD.fullmatch(cell) for cell in cells):
            return False
        names = [cell.strip(' "\t\r') for cell in cells]
        kinds = {at: kind for at, name in enumerate(names) if (kind := kind_of(name))}
        if "pid" in names and "name" in names:
            kinds[names.index("name")] = "process"
        if not kinds and not all(is_field(UNIT.sub("", name)) for name in names):
            return False
        self._mark, self._columns, self._count = mark, kinds, len(names)
        return True

    def _row(self, line: str) -> str:
        cells = _CELLS[self._mark].findall(line)
        extra = len(cells) - self._count
        wide = next((at for at, kind in self._columns.items() if kind == "process"), None)
        if extra < 0 or (extra and wide is None):
            return line
        if wide is not None and extra:  # a name with commas
            cells[wide : wide + extra + 1] = [self._mark.join(cells[wide : wide + extra + 1])]
        for at, kind in self._columns.items():
            value = cells[at].strip(' "\t\r')
            if _VALUE[kind].fullmatch(value):
                start = cells[at].index(value)
                cells[at] = cells[at][:start] + self._redact(kind, value) + cells[at][start + len(value) :]
        return self._mark.join(cells)

    def _take_list(self, line: str) -> bool:
        """Whether this line names the columns of ``top``, ``ps`` or ``squeue``."""
        words = line.split() if "PID" in line or "JOBID" in line else []
        numbers = [at for at, word in enumerate(words) if word in _NUMBERED]
        if not numbers or _OWNER.isdisjoint(words):
            return False
        self._number = numbers[0]
        self._owners = {at: "user" for at, word in enumerate(words) if word in _OWNER}
        self._owners |= {at: "host" for at, word in enumerate(words) if _HOSTS.fullmatch(word)}
        return True

    def _listed(self, line: str) -> str:
        """A row of such a list; the first line that is none ends it."""
        words = list(_WORD.finditer(line))
        if len(words) <= max(self._number, *self._owners) or not _NUMBER.fullmatch(words[self._number][0]):
            self._owners = {}
            return line
        pieces, done = [], 0
        for at, kind in sorted(self._owners.items()):
            start, end = words[at].span()
            value = line[start:end]
            pieces += [line[done:start], self._redact(kind, value) if _VALUE[kind].fullmatch(value) else value]
            done = end
        return "".join((*pieces, line[done:]))

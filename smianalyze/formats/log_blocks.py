"""Records of training as blocks, a line with the counters and one for each metric: Composer, OLMo and OLMo-core.

Composer's ``time/`` is a count, and its ``memory/`` was bytes in old versions and 10**9 bytes in newer ones, so
that it keeps its printed name. OLMo means 10**6 bytes by MB.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from smianalyze.formats.format import Format, Reading, Row
from smianalyze.formats.log_keys import column_of, key_of
from smianalyze.formats.log_numbers import Number, in_unit_of, number
from smianalyze.formats.log_said import values
from smianalyze.formats.log_steps import METRICS, WHOLE, Records, label_of, told_of_end
from smianalyze.reader import LineReader
from smianalyze.repair import Line

_HEAD = re.compile(r"\[(?:epoch|batch|step|token|sample|iteration)=[0-9]")
_OF_TRAINING = "train "
_COLUMNS = {
    "loss/train/total": "loss",
    "time/batch": "step",
    "l2_norm/grad/global": "grad_norm",
    "throughput/batches_per_sec": "steps_per_s",
    "throughput/samples_per_sec": "samples_per_s",
    "throughput/tokens_per_sec": "tokens_per_s",
    "throughput/device/mfu": "mfu",
    "train/crossentropyloss": "loss",
    "train/ce loss": "loss",
    "optim/total_grad_norm": "grad_norm",
    "optim/total grad norm": "grad_norm",
    "throughput/device/tokens_per_second": "tokens_per_s",
    "throughput/device/tps": "tokens_per_s",
    "throughput/device/batches_per_second": "steps_per_s",
    "throughput/device/bps": "steps_per_s",
    "throughput/device/data loading (s)": "data_time_s",
    "throughput/total_tokens": "consumed_tokens",
    "throughput/total tokens": "consumed_tokens",
}
_TIMES_MIB = {
    "system/peak gpu memory (mb)": ("gpu_mem_mib", 10**6 / 2**20),
    "gpu_memory/gpu active mem (gib)": ("gpu_mem_active_mib", 2**10),
    "gpu_memory/gpu reserved mem (gib)": ("gpu_mem_reserved_mib", 2**10),
}
_RATE = re.compile(r"(?:optim/)?(?:lr|learning_rate)(?:[-_ (/]|$)")
_NO_METRICS = ("time/", "trainer/")


def _recognises(text: str) -> bool:
    return "=" in text and _HEAD.search(text) is not None


LINES = LineReader("log_blocks.lark", bool)


class _Block:
    """One block while it is read."""

    def __init__(self, line: Line, label: Row, counters: Row) -> None:
        self.line = line
        self.used = {line.number}
        self._label = label
        self._row = counters
        self._rates: set[Number | None] = set()
        self._family = "olmo"
        self.is_whole = True

    def take(self, line: Line, key: str, value: Number | None) -> None:
        """Take a metric; one of evaluation is none of training."""
        self.used.add(line.number)
        plain = key.strip().lower()
        if plain.startswith(_OF_TRAINING):
            self._family = "composer"
            plain = plain.removeprefix(_OF_TRAINING)
        if plain.startswith("eval "):
            return
        if plain in _COLUMNS:
            column = _COLUMNS[plain]
            unit = "%" if column == "mfu" and self._family == "olmo" else ""
            self._row.setdefault(column, None if value is None else in_unit_of(column, value, unit))
        elif plain in _TIMES_MIB and value is not None:
            column, factor = _TIMES_MIB[plain]
            self._row[column] = value * factor
        elif not plain.startswith(_NO_METRICS):
            self._other(plain, value)

    def _other(self, plain: str, value: Number | None) -> None:
        if _RATE.match(plain):
            self._rates.add(value)
        name, unit = key_of(plain)
        column = f"{name}_pct" if unit == "%" else key_of(plain.replace("(", "").replace(")", "")).name
        if column not in METRICS | WHOLE and column_of(column) == column:
            self._row[column] = value

    def add_to(self, records: Records) -> None:
        """Add the record, if there is one; where a line may be missing, one rate says nothing of all groups."""
        row = self._row | ({"lr": self._rates.pop()} if len(self._rates) == 1 and self.is_whole else {})
        if row.keys() & {"step", "epoch"} and row.keys() & METRICS:
            known = {name: value for name, value in row.items() if value is not None}
            records.add(self.line, str(self.line.number), self._label, {"format": self._family, **known})
            records.reading.used |= self.used


def _read(lines: Sequence[Line], *, open_end: bool = False) -> Reading:
    records = Records()
    block: _Block | None = None
    for line in lines[: len(lines) - open_end]:
        head = _HEAD.search(line.text)
        text = line.text[head.start() :] if head else line.text
        is_below = bool(block) and not head and text[:1] == " "
        shape = LINES.read(text + "\n") if head or is_below else None
        cells = {name: text[start:end] for name, start, end in shape.columns} if shape else {}
        if block and is_below:
            if shape and shape.kind == "member":
                block.take(line, cells["key"], number(cells.get("value", "")))
            else:
                block.is_whole = False
            continue
        if block:
            block.add_to(records)
            block = None
        if shape and shape.kind == "head" and head:
            label = label_of(line.text[: head.start()])
            counters: Row = {name: number(cell) for name, cell in cells.items()}
            block = None if label is None else _Block(line, values(label), counters)
    if block:
        block.is_whole = False
        block.add_to(records)
    return records.reading


FORMAT = told_of_end(
    Format(
        name="log_blocks",
        reach=300,  # a metric a line
        title="training log: blocks of metrics",
        command="composer train.py",
        sample="""\
[batch=2/1000]:
\t Train loss/train/total: 11.9012
\t Train throughput/samples_per_sec: 107.8
""",
        recognises=_recognises,
        read=_read,
    ),
    _read,
)

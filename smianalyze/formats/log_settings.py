"""Lines in which a program says its settings: how many samples a step has, how many processes load data.

Each distinct setting becomes an event of kind ``settings``; a line that starts the job has them in its ``launch``.
Batch sizes of an evaluation and of all cards together are none: only what one card works on tells how its memory
grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from smianalyze.formats.format import Format, Reading, Row
from smianalyze.formats.log_label import is_quoted, labelled
from smianalyze.formats.log_marks import Log, Message
from smianalyze.formats.values import converted
from smianalyze.reader import LineReader
from smianalyze.repair import Line

MARKS = (
    "batch_size",
    "batch-size",
    "Instantaneous batch size per device",
    "num_workers",
    "num-workers",
    "workers ",
)
_WORDS = ("batch", "workers")
# the begin of a name whose end is ``batch_size`` or ``workers``: other begins make it another thing
_OF_TRAINING = {"", "train", "per_device_train", "per_gpu_train", "micro", "train_micro", "local", "device"}
_MAX_NAME = 40
_OF_STEPS = "loss"  # a record of steps may hold its batch size: its line is theirs to use


def _recognises(text: str) -> bool:
    return any(word in text for word in _WORDS)


LINES = LineReader("log_settings.lark", bool)


def settings_in(message: Message) -> Row:
    """``batch_size`` and ``workers`` as a message says them; empty where it says none of training.

    Of two values of one name the first counts.
    """
    if message.shape.kind != "settings" or is_quoted(message.prefix) or not _is_of_training(message.prefix):
        return {}
    cells = reversed(message.cells())
    return converted({name: text for name, text in cells if int(text) > 0 or name == "workers"})


def _read(lines: Sequence[Line], *, open_end: bool) -> Reading:
    reading = Reading()
    said: set[tuple[object, ...]] = set()
    for message in Log(lines, open_end).messages(MARKS, LINES):
        line, values = lines[message.place], settings_in(message)
        if not values:
            continue
        if _OF_STEPS not in line.text:
            reading.used.add(line.number)
        if tuple(values.items()) not in said:
            said.add(tuple(values.items()))
            row = {"line": line.number, "kind": "settings", **labelled(message.prefix), **values}
            reading.add("events", {**row, "message": message.printed()})
    return reading


def _is_of_training(prefix: str) -> bool:
    """Whether a name that goes on behind this text is that of training: ``--``, ``per_device_train_``."""
    name = prefix[-_MAX_NAME:]
    begin = name[len(name.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")) :]
    return begin.strip("-_").replace("-", "_") in _OF_TRAINING


def format_for(*, open_end: bool = False) -> Format:
    """The format, told whether the text ends without a line end, so that its last value may be cut."""
    return Format(
        name="log_settings",
        reach=0,
        title="settings that a training program prints",
        command="python train.py",
        sample="batch_size=256 num_workers=4\n",
        recognises=_recognises,
        read=partial(_read, open_end=open_end),
    )


FORMAT = replace(format_for(), told=lambda told: format_for(open_end=told.open_end))

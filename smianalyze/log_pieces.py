r"""What a piece of a log says, a piece being a line or one state of a line that ``\r`` redraws.

All pieces of one shape, which differ in digits only, say the same in the same places. The digits of keys
(``Acc@1``) are part of the shape.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from smianalyze.dating import starts_with_date
from smianalyze.formats import FORMATS, log_bars, log_dicts, log_keras, log_pairs, query_csv
from smianalyze.formats.csv_header import MAY_BE_HEADER, header_of
from smianalyze.formats.csv_reader import NUMBERS, UNIT, is_row_without_names
from smianalyze.formats.log_draw import Draw
from smianalyze.formats.log_said import TIME, Moment, values
from smianalyze.formats.log_steps import Record, label_of
from smianalyze.formats.log_yolo import is_header
from smianalyze.prefixes import label_shapes
from smianalyze.repair import repaired_lines, with_plain_blanks
from smianalyze.unwrap import is_open_rule

DICTS, BARS, PAIRS = (one.FORMAT.name for one in (log_dicts, log_bars, log_pairs))
RECORDS = (DICTS, BARS, PAIRS)
"""Formats whose records are read from blocks, in the order in which they take lines."""
_READERS = {DICTS: log_dicts, BARS: log_bars, PAIRS: log_pairs}
_IN_ORDER = (log_keras.FORMAT.name, "log_blocks")  # what they read depends on many lines before
EVENTS = tuple(one for one in FORMATS if one.reach is not None and one.name not in {*_READERS, *_IN_ORDER})
"""Formats that read few lines of a log, each with some lines around it."""
_OTHERS = tuple(one for one in FORMATS if one not in (*EVENTS, query_csv.FORMAT) and one.name not in _READERS)

NOBODY, ALL = -1, -2
_FENCE = "```"  # of a manual: what stands in it is no log
_NUMBERED = re.compile(r"\s*[0-9]\. ")  # ``1. `` begins a list, ``2. `` does not: a digit decides
# an exponent of three digits may be that of no finite number; ``0,530`` is none, ``1,530`` is one
_DIGITS_DECIDE = re.compile(r"[0-9.][eE][-+]?[0-9]{3}|[0-9],[0-9]{3}(?![0-9])")
_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What all pieces of one shape say.

    Attributes:
        reach: So many lines before and after it may matter to formats of events; NOBODY where none reads it, ALL
            where the whole input is to be read line by line.
        is_blank: Whether nothing stands in it.
        is_odd: Whether repair changes it.
        ends_with_bar: Whether it ends as the row of a table: of the states of a line, only such a last one counts.
        has_date: Whether it begins with a date and a year.
        format: The format of records that reads it, "" for none.
        row: Its columns as said, with those of its label.
        text: Start and end, in characters, of what makes a record the same as another; of a bar its description.
        may_be_record: Whether it holds words of a format of records.
        is_sure: Whether all of its shape say the same columns.
        shows_metric: Of a draw: whether it shows a metric of training.
        is_source: Of a draw: whether all draws of its bar count.
        may_count: Of a draw: whether it is none of other work.
        has_label: Of a draw: whether what stands in front makes it no quotation.
        is_double: Of a draw: whether another format would read it if it does not count.
    """

    reach: int = NOBODY
    is_blank: bool = False
    is_odd: bool = False
    ends_with_bar: bool = False
    has_date: bool = False
    format: str = ""
    row: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    text: tuple[int, int] = (0, 0)
    may_be_record: bool = False
    is_sure: bool = True
    shows_metric: bool = False
    is_source: bool = False
    may_count: bool = False
    has_label: bool = True
    is_double: bool = False

    @property
    def is_of_others(self) -> bool:
        """Whether it is no record, whatever its digits are."""
        return not self.format and self.is_sure

    def about(self) -> tuple[object, ...]:
        """All that is to be known of a piece that is no record."""
        return self.reach, self.is_blank, self.is_odd, self.ends_with_bar, self.has_date, self.may_be_record

    def values(self) -> Mapping[str, object]:
        """The columns with their values."""
        return values(self.row)


def piece_of(text: str) -> Piece:
    """What a piece says.

    Args:
        text: Without line end.
    """
    if not text.strip():
        return Piece(is_blank=True)
    repaired = [line.text for stream in repaired_lines([(1, text)]) for line in stream]
    readers = [name for name, one in _READERS.items() if any(map(one.FORMAT.recognises, repaired))]
    reach = ALL if label_shapes([text]) or is_open_rule(text) else _reach(repaired)
    is_odd = [*map(with_plain_blanks, repaired)] != [with_plain_blanks(text)]
    if is_odd:
        reach = NOBODY if reach == NOBODY and not readers else ALL
        return Piece(reach=reach, is_odd=True, may_be_record=bool(readers))
    about = Piece(
        may_be_record=bool(readers),
        reach=ALL if _is_header_of_yolo(repaired[0]) else reach,
        ends_with_bar=text.rstrip().endswith(("|", "+")),
        has_date=starts_with_date(repaired[0]),
    )
    return _with_record(about, repaired[0], readers) if readers else about


def deciding_digits(text: str) -> list[int]:
    """Where digits stand that decide what a piece says, in characters."""
    if not text.strip():
        return []
    found = [one.deciding_digits(text) for one in _READERS.values() if one.FORMAT.recognises(text)]
    return sorted({at for places in found for at in places})


def _reach(repaired: Sequence[str]) -> int:
    if any(one.recognises(text) for one in _OTHERS for text in repaired) or any(map(_may_be_csv, repaired)):
        return ALL
    found = [one.reach or 0 for one in EVENTS if any(map(one.recognises, repaired))]
    return max([*found, *(0 for text in repaired if _FENCE in text)], default=NOBODY)


def _may_be_csv(text: str) -> bool:
    """Whether a line alone may be a header of CSV, or a row; many lines of other texts look so at first."""
    if MAY_BE_HEADER.search(text) and header_of(text.lstrip("> ").rstrip(" "), ", ") is not None:
        return True
    is_row = NUMBERS.fullmatch(text.strip()) is not None and (", " in text or UNIT.search(text) is not None)
    return is_row or "--query-" in text or is_row_without_names(text)


def _is_header_of_yolo(text: str) -> bool:
    """Whether the bars below may be rows of a table."""
    return text.lstrip().startswith("Epoch") and "mem" in text and is_header(log_bars.LINES, text)


def _with_record(about: Piece, text: str, readers: Sequence[str]) -> Piece:
    record = log_dicts.record_of(text) if DICTS in readers else None
    if record:
        return _of_record(about, DICTS, record, text)
    draw = log_bars.draw_of(text) if BARS in readers else None
    record = log_pairs.record_of(text) if PAIRS in readers else None
    if draw and DICTS in readers:  # such a draw lends nothing to a dict
        return replace(about, reach=ALL)
    if draw:
        return _of_draw(about, draw, text, is_double=record is not None)
    return (
        _of_record(about, PAIRS, record, text)
        if record
        else replace(about, is_sure=_is_sure(text, {}) and not _DIGITS_DECIDE.search(text))
    )


def _of_record(about: Piece, name: str, record: Record, text: str) -> Piece:
    row = {**record.label, **record.row}
    start = record.text.start
    is_sure = record.is_sure and _is_sure(text[:start], row) and not _DIGITS_DECIDE.search(text)
    return replace(about, format=name, row=row, text=(start, start + len(record.text)), is_sure=is_sure)


def _of_draw(about: Piece, draw: Draw, text: str, *, is_double: bool) -> Piece:
    label = label_of(draw.label.rstrip(" :"))
    row = {**(label or {}), **log_bars.columns_of(draw)}
    start = len(draw.label) - len(draw.label.lstrip())
    return replace(
        about,
        format=BARS,
        row=row,
        text=(start, start + len(draw.label.strip())),
        is_sure=draw.is_sure and _is_sure(draw.label, row) and not _DIGITS_DECIDE.search(text),
        shows_metric=draw.shows_metric,
        is_source=draw.shows_metric or log_bars.is_training(draw),
        may_count=log_bars.is_of_training(draw),
        has_label=label is not None,
        is_double=is_double,
    )


def _is_sure(label: str, row: Mapping[str, object]) -> bool:
    """Whether other digits in front of a record would say the same columns."""
    is_dated = "time" in row or TIME.search(label) is not None
    return not _NUMBERED.match(label) and (not is_dated or isinstance(row.get("time"), Moment))

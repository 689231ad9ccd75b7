"""Each kind of damage is done to whole captures: what is read must not change."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from fixture_pairs import FIXTURES

from smianalyze.reading import read_rows
from smianalyze.repair import cleaned_line, repaired
from smianalyze.source import from_text

OF_A_PRINT = ("snapshots", "gpus", "processes", "mig_devices")
WHOLE = (
    "generation_304_twice",
    "generation_580",
    "mig_510",
    "wddm_517",
    "jetson_540",
    "cards_16",
    "err_card_fragment",
)


def lines_of(text: str, change: Callable[[int, str], str]) -> str:
    return "\n".join(change(number, line) for number, line in enumerate(text.splitlines())) + "\n"


def wrapped(text: str) -> str:
    pieces = [line[start : start + 60] for line in text.splitlines() for start in range(0, max(len(line), 1), 60)]
    return "\n".join(pieces) + "\n"


def without_left_border(text: str) -> str:
    return lines_of(
        text, lambda _, line: line.removeprefix("|").lstrip() if re.match(r"\| *[^ |=-]", line) else line
    )


def log_times(text: str) -> str:
    return lines_of(text, lambda number, line: f"2025-02-13T09:12:{number % 60:02}.{number:07}Z {line}")


DAMAGE: dict[str, Callable[[str], str]] = {
    "indent": lambda text: textwrap.indent(text, "      "),
    "quote": lambda text: lines_of(text, lambda _, line: f"> {line}"),
    "quote twice": lambda text: lines_of(text, lambda _, line: f"> > {line}"),
    "comment": lambda text: lines_of(text, lambda _, line: f"# {line}"),
    "fence": lambda text: f"```text\n{text}```\n",
    "trailing blanks": lambda text: lines_of(text, lambda _, line: line.rstrip() + "   "),
    "blank line after each": lambda text: text.replace("\n", "\n\n"),
    "collapsed blanks": lambda text: re.sub(" +", " ", text),
    "tabs": lambda text: re.sub(" {3}", "\t", text),
    "no-break blanks": lambda text: text.replace("  ", "\u00a0 "),
    "entities": lambda text: text.replace(" ", "&nbsp;").replace("\n", "<br/>\n"),
    "colours": lambda text: lines_of(text, lambda _, line: f"\x1b[1;32m{line}\x1b[0m"),
    "carriage returns": lambda text: text.replace("\n", "\r\r\n"),
    "json": lambda text: json.dumps({"stdout": text, "stderr": ""}),
    "go string": lambda text: f'level=info msg={json.dumps(text)} source="gpu"\n',
    "python repr": lambda text: f"output = {text!r}\n",
    "bytes repr": lambda text: f"b{text!r}\n",
    "escaped without quotes": lambda text: text.replace("\n", "\\n"),
    "wrapped": wrapped,
    "log times": log_times,
    "rank": lambda text: lines_of(text, lambda _, line: f"[rank0]: {line}"),
    "pod": lambda text: lines_of(text, lambda _, line: f"pod/train-0 {line}"),
    "line numbers": lambda text: lines_of(text, lambda number, line: f"{number + 1:6}\t{line}"),
    "compose": lambda text: lines_of(text, lambda _, line: f"worker-1  | {line}"),
    "lost left border": without_left_border,
    "prose around": lambda text: f"Here is what I see:\n\n{text}\nWhy is | that | so?\n",
    "prompt around": lambda text: f"user@host:~$ nvidia-smi\n{text}user@host:~$ exit\n",
}


def said(text: str) -> dict[str, list[dict[str, object]]]:
    rows = read_rows([from_text(text)])
    return {
        frame: [
            {key: value for key, value in row.items() if key != "line" and value is not None}
            for row in rows.get(frame, [])
        ]
        for frame in OF_A_PRINT
    }


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", WHOLE)
def test_damage_changes_nothing_that_is_read(name: str, damage: str) -> None:
    text = (FIXTURES / "smi_table" / f"{name}.txt").read_text(encoding="utf-8")

    assert said(DAMAGE[damage](text)) == said(text)


@pytest.mark.parametrize("name", ["generation_580", "generation_530", "mig_510"])
def test_table_joined_to_one_line_is_read(name: str) -> None:
    text = (FIXTURES / "smi_table" / f"{name}.txt").read_text(encoding="utf-8")
    joined = re.sub(" +", " ", text.replace("\n", " "))

    assert said(joined) == said(text)


def test_two_ranks_that_write_through_each_other_stay_apart() -> None:
    first = Path(FIXTURES / "smi_table" / "generation_580.txt").read_text(encoding="utf-8")
    second = first.replace("30406MiB", "11111MiB")
    pairs = zip(first.splitlines(), second.splitlines(), strict=True)

    both = said("".join(f"0: {a}\n1: {b}\n" for a, b in pairs))

    assert [row["memory_used_mib"] for row in both["gpus"] if row["snapshot"] == 1] == [
        row["memory_used_mib"] for row in said(second)["gpus"]
    ]


def test_each_line_keeps_its_number() -> None:
    (stream,) = repaired(["> a", '{"x": "+---\\n| b |\\n"}', "", "c"])

    assert [(line.number, line.text) for line in stream] == [
        (1, "> a"),
        (2, "+---"),
        (2, "| b |"),
        (2, ""),
        (3, ""),
        (4, "c"),
    ]


def test_progress_bar_is_read_state_by_state_and_a_table_row_in_its_last() -> None:
    assert list(cleaned_line("10%\r55%\r99%")) == ["10%", "55%", "99%"]
    assert list(cleaned_line("| 1 |\r| 2 |")) == ["| 2 |"]


def test_hostile_line_is_cleaned_in_linear_time() -> None:
    for piece in ("\x1b[", "\x1b]0;", "<", '"\\n--', "&nbsp;<br", "+-----", "> ", "\\u12"):
        assert list(cleaned_line(piece * 10_000))
        assert repaired([piece * 10_000])

"""What a command says when it was given something else than it is for: what that is, and what was meant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from smianalyze import safe
from smianalyze.columns import FRAMES
from smianalyze.formats import FORMATS
from smianalyze.frames import Frames

MOST_NAMED = 3
"""Inputs named in one sentence."""
NAME_LETTERS = 60
COMMANDS = {one.name: f"{one.title} (`{one.command}`)" for one in FORMATS}


def nothing_to_compare(frames: Frames, files: Sequence[str]) -> str:
    """Why there is nothing to compare, and that a report takes any mix of inputs."""
    given = " ".join(safe.line(name, NAME_LETTERS) for name in files)
    return (
        f"compare needs two prints of nvidia-smi with GPUs. {_what_they_are(frames.inputs)} "
        f"Did you mean: smianalyze report {given}"
    )


def columns_without_csv(inputs: pd.DataFrame) -> str | None:
    """Why ``--csv-columns`` does not fit these inputs; None where one of them is a CSV or may be one."""
    formats = inputs["format"].dropna()
    if len(formats) < len(inputs) or formats.str.contains("query_csv", regex=False).any():
        return None
    return f"--csv-columns names the fields of a CSV without a header. {_what_they_are(inputs)}"


def other_frames(frames: Frames, asked: str) -> str | None:
    """Which frames have rows where the one that was asked for has none; None where it has some."""
    if len(getattr(frames, asked)):
        return None
    filled = [f"{name} ({rows:,})" for name in FRAMES if (rows := len(getattr(frames, name))) and name != "inputs"]
    if not filled:
        return None
    return f"{asked} has no rows. {_what_they_are(frames.inputs)} Did you mean: --frame {', '.join(filled)}"


def _what_they_are(inputs: pd.DataFrame) -> str:
    """A sentence for each input, such as ``a.txt is: device monitor (`nvidia-smi dmon`).``."""
    said = [
        f"{safe.line(Path(str(source)).name, NAME_LETTERS)} is: {_titles(found)}."
        for source, found in zip(inputs["source"], inputs["format"], strict=True)
    ]
    left = len(said) - MOST_NAMED
    return " ".join(said[:MOST_NAMED]) + (f" And {left:,} more." if left > 0 else "")


def _titles(found: object) -> str:
    if not isinstance(found, str):
        return "no format that smianalyze knows"
    return ", ".join(COMMANDS.get(name, name) for name in found.split("+"))


def nothing_recognised(inputs: pd.DataFrame, given: Sequence[str]) -> str:
    """What to say of inputs that no format knows.

    Args:
        inputs: The frame of that name.
        given: The inputs as they were given.
    """
    notes = "".join(f" {safe.line(note, 300)}" for note in inputs["note"].dropna())
    return (
        f"Nothing in {safe.line(', '.join(given), 60)} is recognised. "
        f"`smianalyze formats` lists what is read and the command that makes it.{notes}"
    )

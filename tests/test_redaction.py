"""A redacted capture names nobody, looks as before, and is read as before."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import FIXTURES
from redacted import redacted_file

import smianalyze
from smianalyze.columns import FRAMES
from smianalyze.private_fields import kind_of

# Texts that quote a line or may hold a UUID; what they name is replaced.
QUOTES = {"source", "message", "text", "what", "visible_devices"}


def fixtures() -> list[pytest.param]:
    found = [path for path in sorted(FIXTURES.glob("*/*")) if path.suffix not in (".json", ".py")]
    return [pytest.param(path, id=str(path.relative_to(FIXTURES))) for path in found]


def values(frame: pd.DataFrame) -> pd.DataFrame:
    """What a frame says but for names."""
    return frame.drop(columns=[name for name in frame if name in QUOTES or kind_of(str(name))])


@pytest.mark.parametrize("capture", fixtures())
def test_redacted_fixture_is_read_as_before(capture: Path, tmp_path: Path) -> None:
    copy = tmp_path / capture.name
    copy.write_bytes(redacted_file(capture))
    before, after = smianalyze.load(capture), smianalyze.load(copy)

    for frame in FRAMES:
        pd.testing.assert_frame_equal(values(getattr(before, frame)), values(getattr(after, frame)))

"""The own reports of captures: made once, and kept in the dataset until a capture or what a page says changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from smianalyze import __version__
from smianalyze.capture import load
from smianalyze.fleet.dataset import key_in, of_capture
from smianalyze.fleet.engine import Engine, done
from smianalyze.language import Language, speaking
from smianalyze.masking import Masker
from smianalyze.output import write_file
from smianalyze.report.to_html import html_text

FOLDER = "reports"
SUFFIX = ".html"


@dataclass(frozen=True, slots=True)
class Page:
    """The own report of a capture.

    Attributes:
        stem: What the files of the capture are named.
        sources: What it was read from.
        host: Its host, where one is known.
        masker: Hides names, with the aliases that the fleet report has for them.
        language: Of its text.
    """

    stem: str
    sources: tuple[str, ...]
    host: str | None
    masker: Masker
    language: Language

    def path(self, dataset: Path) -> Path:
        """Where it is kept: under another name if it would say something else."""
        said = repr((__version__, self.masker.level, self.masker.aliases, self.language, self.host, self.sources))
        digest = hashlib.blake2b(said.encode("utf-8", "backslashreplace"), digest_size=8).hexdigest()
        return dataset / FOLDER / f"{self.stem}~{digest}{SUFFIX}"


def made(pages: Sequence[Page], dataset: Path, *, engine: Engine) -> Iterator[tuple[int, int]]:
    """Make the pages that the dataset lacks; tells how many are made, and of how many, beginning with none.

    Args:
        pages: All that are wanted.
        dataset: Where they are kept.
        engine: Where they are made.
    """
    missing = [page for page in pages if not page.path(dataset).exists()]
    yield 0, len(missing)
    results = done(partial(_make, dataset.absolute()), missing, lost=lambda _: False, engine=engine)
    for number, _ in enumerate(results, 1):
        yield number, len(missing)


def _make(dataset: Path, page: Page) -> bool:
    path = page.path(dataset)
    masker = deepcopy(page.masker)  # what it learns here is not known to the other pages, wherever they are made
    with speaking(page.language):
        content = load(*page.sources, host=page.host, compact=True).content(masker)
        text = html_text(replace(content, host=page.host))
    path.parent.mkdir(exist_ok=True)
    write_file(path, text.encode("utf-8", "backslashreplace"), force=True, private=masker.level == "none")
    for other in of_capture(path.parent, key_in(page.stem)):
        if other != path:
            other.unlink()
    return True

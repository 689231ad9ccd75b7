"""Reads what ``nvidia-smi`` and a training job left behind, offline, and says what was wrong."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from smianalyze.capture import Capture as Capture
    from smianalyze.capture import compare as compare
    from smianalyze.capture import load as load
    from smianalyze.capture import loads as loads
    from smianalyze.compared import Comparison as Comparison
    from smianalyze.errors import OutputExists as OutputExists
    from smianalyze.errors import OutputFailed as OutputFailed
    from smianalyze.errors import SmianalyzeError as SmianalyzeError
    from smianalyze.errors import UnknownFormat as UnknownFormat
    from smianalyze.errors import UnreadableInput as UnreadableInput
    from smianalyze.findings import Evidence as Evidence
    from smianalyze.findings import Finding as Finding
    from smianalyze.fleet.scan import scan as scan
    from smianalyze.written import Report as Report

__version__ = "0.1.0"

# A Python that was started in a checkout imports this folder, whatever is installed. Grammars and demo are then
# where the checkout has them; a build has them in the package.
_CHECKOUT = Path(__file__).resolve().parents[1]
if (_CHECKOUT / "grammars" / "common.lark").exists():
    __path__ += [str(_CHECKOUT), str(_CHECKOUT / "fixtures")]

_HOMES = {
    "Capture": "smianalyze.capture",
    "Comparison": "smianalyze.compared",
    "Evidence": "smianalyze.findings",
    "Finding": "smianalyze.findings",
    "OutputExists": "smianalyze.errors",
    "OutputFailed": "smianalyze.errors",
    "Report": "smianalyze.written",
    "SmianalyzeError": "smianalyze.errors",
    "UnknownFormat": "smianalyze.errors",
    "UnreadableInput": "smianalyze.errors",
    "compare": "smianalyze.capture",
    "load": "smianalyze.capture",
    "loads": "smianalyze.capture",
    "scan": "smianalyze.fleet.scan",
}

__all__ = [
    "Capture",
    "Comparison",
    "Evidence",
    "Finding",
    "OutputExists",
    "OutputFailed",
    "Report",
    "SmianalyzeError",
    "UnknownFormat",
    "UnreadableInput",
    "compare",
    "load",
    "loads",
    "scan",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: pandas and matplotlib take half a second."""
    if name not in _HOMES:
        raise AttributeError(f"module 'smianalyze' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

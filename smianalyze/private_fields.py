"""Which fields of nvidia-smi say who and where, however a format spells them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Kind = Literal["host", "machine", "process", "program", "serial", "user", "uuid"]

# In the spelling of frames. A platform's serials, its GUIDs and the number on the die (PDI) name one machine.
_PRIVATE = re.compile(
    r"(?:[a-z0-9_]*_)?(?:"
    r"(?P<uuid>[a-z]*uuid)|(?P<serial>serial(?:_number)?|pdi|guid)|(?P<host>host(?:_?name)?)|(?P<machine>vm_id|vm_name)"
    r"|(?P<process>process_name)|(?P<user>user(?:_?name)?)"
    r")"
)
_NO_WORD = re.compile(r"[^a-z0-9]+")
UNIT = re.compile(r" ?\[[^\[\]]{0,16}\]$")
MAX_NAMES = 4_096  # that are remembered: an input may hold ever new ones


@lru_cache(MAX_NAMES)
def kind_of(field: str) -> Kind | None:
    """What a field tells, None if nothing that is private.

    Args:
        field: A column of a frame, a field of a CSV (``platform.chassis_serial_number``), a label of ``-q``
            (``Chassis Serial Number``) or a tag of its XML.
    """
    found = _PRIVATE.fullmatch(_NO_WORD.sub("_", UNIT.sub("", field.strip()).lower()).strip("_"))
    kind: Kind | None = found.lastgroup if found else None  # type: ignore[assignment] # the names of the groups
    return kind

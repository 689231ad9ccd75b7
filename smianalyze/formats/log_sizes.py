"""Sizes as training logs print them, in MiB. Every framework here counts in 1024s, also where it prints MB."""

from __future__ import annotations

from math import prod

from smianalyze.formats.log_numbers import number

_MIB = {"": 2**-20, "K": 2**-10, "M": 1.0, "G": 2.0**10, "T": 2.0**20, "P": 2.0**30}
# PyTorch prints 17179869184.00 GiB for a counter that ran below zero; no device has a PiB
_NO_DEVICE_HAS_MIB = 2.0**30
_BYTES_OF_A_TYPE = {
    **dict.fromkeys(("bool", "int8", "uint8", "qint8", "quint8"), 1),
    **dict.fromkeys(("half", "float16", "bfloat16", "int16", "uint16", "qint16", "quint16"), 2),
    **dict.fromkeys(("float", "float32", "int32", "uint32", "qint32"), 4),
    **dict.fromkeys(("double", "float64", "int64", "uint64", "complex64"), 8),
    "complex128": 16,
}


def mib(text: str) -> float | None:
    """``2.81 GiB``, ``91.000244MB``, ``5012349184 bytes`` or plain bytes as MiB; None beyond what a device has."""
    plain = text.rstrip("abceiostyBKMGTP ")
    unit = text[len(plain) :].strip()
    count = number(plain)
    if count is None:
        return None
    size = count * (_MIB[unit[0]] if unit[:1] in _MIB and unit else _MIB[""])
    return size if size < _NO_DEVICE_HAS_MIB else None


def tensor_mib(shape: str, dtype: str | None) -> float | None:
    """Size of a tensor such as ``[64,256,128,128]`` of ``float``; None for an unknown type."""
    width = _BYTES_OF_A_TYPE.get(dtype or "")
    sides = [int(side) for side in shape.strip("[]").split(",") if side.strip()]
    return prod(sides) * width * 2**-20 if width else None

"""Lines that differ in digits only have one shape: what a format recognises in one it recognises in all."""

from __future__ import annotations

from collections.abc import Sequence

_MASK = bytes.maketrans(b"123456789", b"000000000")


def line_shapes(texts: Sequence[str]) -> list[bytes]:
    """The shape of each line.

    Args:
        texts: Lines without their ends.
    """
    return "\n".join(texts).encode("utf-8", "surrogatepass").translate(_MASK).split(b"\n") if texts else []


def one_of_each_shape(texts: Sequence[str]) -> dict[bytes, str]:
    """One line of each shape."""
    return dict(zip(line_shapes(texts), texts, strict=True))

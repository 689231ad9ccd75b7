"""Numbers of an analysis as a frame with nullable dtypes: one mapping a row, the unknown is ``pd.NA``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

Row = Mapping[str, object]


def table(rows: Iterable[Row], dtypes: Mapping[str, str]) -> pd.DataFrame:
    """A frame with the columns and dtypes of ``dtypes``, also when it is empty.

    Args:
        rows: A key that is missing, ``None`` or NaN is unknown.
        dtypes: Name and pandas dtype of each column, in order.
    """
    listed = list(rows)
    return pd.DataFrame(
        {name: pd.Series([row.get(name) for row in listed], dtype=dtype) for name, dtype in dtypes.items()}
    )

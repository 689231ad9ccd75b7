"""Rows that come block by block become one column each."""

from __future__ import annotations

import numpy as np

from smianalyze.frame_parts import Part, flags
from smianalyze.growing import Growing
from smianalyze.offsets import Cells


def added(*blocks: Cells) -> Growing:
    found = Growing()
    for cells in blocks:
        found.add([(Part(len(cells.values), {"a": cells}), np.arange(len(cells.values)))])
    return found


def known(found: Growing) -> list[object]:
    cells = found.cells("a")
    return [
        value if is_known else None
        for value, is_known in zip(cells.objects().tolist(), flags(cells, found.count), strict=True)
    ]


def test_whole_numbers_become_decimals_with_the_first_one() -> None:
    found = added(Cells(np.array([1, 2]), np.array([True, False])), Cells(np.array([0.5])))

    assert known(found) == [1.0, None, 0.5]
    assert added(Cells(np.array([1], object)), Cells(np.array([2.5], object))).cells("a").values.dtype == float


def test_texts_are_of_one_list() -> None:
    found = added(
        Cells(np.array(["x", None, "y"], object), np.array([True, False, True])),
        Cells(np.array([1, 0], np.int8), None, ["x", "z"]),
    )

    assert known(found) == ["x", None, "y", "z", "x"]
    assert sorted(found.cells("a").texts or ()) == ["x", "y", "z"]


def test_texts_and_numbers_stay_what_they_are() -> None:
    assert known(added(Cells(np.array([1, 2])), Cells(np.array(["x"], object)))) == [1, 2, "x"]
    assert known(added(Cells(np.array(["x"], object)), Cells(np.array([0.5])))) == ["x", 0.5]


def test_parts_are_put_where_their_rows_belong() -> None:
    found = Growing()
    found.add(
        [
            (Part(2, {"a": Cells(np.array([1, 3]))}), np.array([0, 2])),
            (Part(1, {"b": Cells(np.array([2]))}), np.array([1])),
        ]
    )

    assert known(found) == [1, None, 3]
    assert found.pop("b").known is not None
    assert known(found) == [1, None, 3]
    assert not flags(found.cells("b"), 3).any()

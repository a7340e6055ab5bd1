"""One test of many cases tells of each that fails, and of those only; fixtures and stacked lists of cases work."""

import pytest
from together import together


@together(("x", "y"), [(1, 1), (2, 3), (4, 4), (5, 7)])
def unequal(x, y):
    assert x == y


@together("x", [1, 2])
@together("y", [3, 4])
def test_stacked_and_with_a_fixture(x, y, tmp_path):
    (tmp_path / f"{x}{y}").touch()
    assert len([*tmp_path.iterdir()]) == 2 * (x - 1) + y - 2


def test_each_failure_is_told():
    with pytest.raises(ExceptionGroup, match="unequal: 2 of 4 cases") as caught:
        unequal()
    assert [error.__notes__ for error in caught.value.exceptions] == [["for (2, 3)"], ["for (5, 7)"]]

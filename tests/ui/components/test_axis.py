"""The numbers of an axis never run together: where they have no room, every second one or the ends alone are visible."""

from __future__ import annotations

import itertools
import re

import pytest

from ui.components.dots import axis_of, axis_scale


@pytest.mark.parametrize("ends", [(3.4, 4.4), (0.0, 1.0), (0.001, 0.0047), (-12.0, 300.0)])
def test_the_numbers_that_stay_never_stand_next_to_each_other(ends: tuple[float, float]) -> None:
    axis = axis_of(ends, 6)
    drawn = str(axis_scale(axis))
    kinds = re.findall(r'<i(?: class="([^"]*)")? style', drawn)
    assert len(kinds) == len(axis.ticks) > 3
    assert (kinds[0], kinds[-1]) == ("", "")
    stay = [n for n, kind in enumerate(kinds) if kind != "is-second"]
    assert all(second - first > 1 for first, second in itertools.pairwise(stay))
    (room,) = map(int, re.findall(r"needs-(\d+)", drawn))
    # near what its numbers need, which the style's steps of 30 px allow for
    assert abs(room - len(kinds) * (6.5 * max(len(axis.text(tick)) for tick in axis.ticks) + 8)) < 60

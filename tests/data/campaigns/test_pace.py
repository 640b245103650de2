"""The rule for answers that are quicker than anybody can look."""

from __future__ import annotations

from data.campaigns.pace import mostly_quick, often_quick


def test_quick_answers_are_a_pattern_by_their_share_and_pause_where_they_are_most() -> None:
    assert [often_quick(n, timed) for n, timed in ((1, 2), (4, 4), (5, 25), (5, 26), (6, 26))] == [
        False,
        False,
        True,
        False,
        True,
    ]
    assert [mostly_quick(n, timed) for n, timed in ((9, 9), (5, 10), (6, 10), (60, 100))] == [False, False, True, True]

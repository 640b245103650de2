"""The tabs of Results, which are there from two on: the leaderboard, and A/B votes where people have voted."""

from __future__ import annotations

import htpy
from htpy import Node

from agreement import Options
from concord.comparison import preferences
from concord.open_project import OpenProject
from concord.scope import Scope, open_scope
from data.selection import Selection
from ui.pages.results.view import PATH, ResultsView
from ui.pages.results.vote_view import VotesView


def has_votes(store: OpenProject) -> bool:
    """Return True if anybody has chosen between two images."""
    return bool(preferences.recall(store, Selection(), Options(intervals=False)).polls)


def results_tabs(store: OpenProject, current: str, suite: str) -> Node:
    """Return the tabs, with links about the same suite where it has both."""
    if not has_votes(store):
        return ""
    opened = open_scope(store, Scope())
    judged = {choice.value for choice in opened.choices["suite"]} if opened else set()
    polled = {poll.suite for poll in preferences.recall(store, Selection(), Options(intervals=False)).polls}
    leaderboard = ResultsView(Scope(suite if suite in judged else "")).address()
    votes = VotesView(suite if suite in polled else "").address()
    tabs = ((PATH, leaderboard, "Leaderboard"), (VotesView.PATH, votes, "A/B votes"))
    links = [htpy.a(href=href, aria_current="page" if path == current else None)[title] for path, href, title in tabs]
    return htpy.nav(class_="cc-place-tabs is-inside", aria_label="Results")[links]

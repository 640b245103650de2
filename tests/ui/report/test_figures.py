"""A report's figures fit a printed page."""

from __future__ import annotations

import json

import plotly.graph_objects as go

from ui.report.figures import TALLEST, figure_json


def test_a_figure_is_never_taller_than_a_page() -> None:
    heights = [json.loads(figure_json(go.Figure(layout={"height": height})))["layout"]["height"] for height in (300, 2000)]
    assert heights == [300, TALLEST]

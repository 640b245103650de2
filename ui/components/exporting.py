"""Links to files of a selection's ratings, judgements and answers."""

from __future__ import annotations

from html import escape
from typing import Final
from urllib.parse import urlencode

from data.store.core.selection import Selection
from ui.root import at

_FILES: Final = {"ratings": "the ratings that count", "judgements": "all judgements", "annotations": "people’s whole answers"}


def export_links(selection: Selection) -> str:
    """A row of links: each gives the selection's file, as the command ``export`` writes it."""
    query = urlencode(selection.to_dict(), doseq=True)
    links = [
        f'<a class="cc-export" download href="{escape(at(f"/api/studio/export/{name}.csv?{query}"))}">{title}</a>'
        for name, title in _FILES.items()
    ]
    return f'<p class="cc-note cc-exports">Export, as CSV: {" · ".join(links)}</p>'

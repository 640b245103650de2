"""The answers behind a number: each question with what the model and people said, leading to its image."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, Final

import pandas as pd

from agreement.questions.people import APART, DECIDED, IMAGE_WRONG, VQA_WRONG
from concord.common import wording
from concord.questions import scores
from data.store.browse import contents
from data.store.browse.contents import ItemPreview
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui.components.strip import THUMBNAIL, workbench_address
from ui.components.table import WRAP, heading, note
from ui.pages.explore.asked.offered import ANSWERS, BY, DIFFERENT, PEOPLE, RIGHT, WRONG
from ui.pages.explore.asked.shown import source_of
from ui.pages.explore.view import ALL, View
from ui.root import at

MOST: Final = 30
_NONE: Final = {
    "undecided": "people are divided",
    "cannot_tell": "people cannot tell",
    "other_version": "asked in other words",
    "not_asked": "not asked",
}


def listed(store: Store, view: View) -> str:
    """The answers that the view asks for, as HTML."""
    found = _chosen(scores.answers_beside_people(store, view.suite, source_of(view), view.rater), view)
    about = "" if view.group == ALL else f", {_group(view)}"
    whose = "" if view.whose == ALL else f", images by {view.whose}"
    title = f"Answers of {view.rater} that are {ANSWERS[view.answers or WRONG]}{about}{whose}"
    if found.empty:
        return heading(title) + note("None.")
    more = f"The first {MOST} of {len(found):,}." if len(found) > MOST else wording.count(len(found), "answer") + "."
    return heading(title, more) + _table(store, found.head(MOST), view)


def _group(view: View) -> str:
    return {"entities": f"texts of {view.group} entities"}.get(view.see, view.group)


def _chosen(rows: pd.DataFrame, view: View) -> pd.DataFrame:
    if view.group != ALL and view.see in BY:
        rows = rows[rows[BY[view.see]].astype(str) == view.group]
    if view.whose != ALL:
        rows = rows[rows["generator"] == view.whose]
    right, decided = rows["answer"] == rows["chosen"], rows["state"] == DECIDED
    # people's answer is no text where they have none
    theirs = rows["people"].astype(object)
    wanted: dict[str, Any] = {
        WRONG: ~right,
        RIGHT: right,
        DIFFERENT: decided & (theirs != rows["chosen"]),
        IMAGE_WRONG: ~right & decided & (theirs != rows["answer"]),
        VQA_WRONG: ~right & decided & (theirs == rows["answer"]),
        **{name: ~right & (rows["state"] == name) for name in APART},
    }
    found: pd.DataFrame = rows[wanted[view.answers or WRONG]]
    return found


def _table(store: Store, rows: pd.DataFrame, view: View) -> str:
    looks = contents.item_previews(store, sorted(rows["item"].unique()))
    told = bool((rows["state"] != "not_asked").any()) or view.see == PEOPLE
    names = ["image", "question", "asked for", view.rater, *(["people"] if told else [])]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = "".join(_line(row, looks, view, told=told) for row in rows.to_dict("records"))
    return (
        f'{WRAP}<table class="cc-table cc-asked" aria-label="Answers">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _line(row: Mapping[Any, Any], looks: Mapping[str, ItemPreview], view: View, *, told: bool) -> str:
    look = looks.get(row["item"], ItemPreview(None, None))
    # the list tells what both said of it
    shown = f"{view.rater} and people" if told else view.rater
    href = escape(workbench_address(row["item"], Selection(suite=(view.suite,)), shown))
    text = escape(look.text or row["item"])
    picture = (
        f'<img src="{at("/img/")}{look.sha256}?w={THUMBNAIL}" alt="{text}" loading="lazy" decoding="async">'
        if look.sha256
        else f'<span class="cc-no-picture cc-asked__none">{text}</span>'
    )
    question = f'{escape(row["text"] or row["question"])}<small class="cc-detail">{escape(row["element_type"])}: '
    question += f"{escape(row['element'])}</small>"
    kind = "cc-right" if row["answer"] == row["chosen"] else "cc-wrong"
    cells = [question, escape(row["answer"]), f'<span class="{kind}">{escape(row["chosen"])}</span>']
    if told:
        cells.append(_people(row))
    rest = "".join(f"<td>{cell}</td>" for cell in cells)
    link = f'<a href="{href}" title="{text}">{picture}<small class="cc-detail">{escape(row["generator"])}</small></a>'
    return f'<tr><th scope="row">{link}</th>{rest}</tr>'


def _people(row: Mapping[Any, Any]) -> str:
    if row["state"] != DECIDED:
        return f'<span class="cc-muted">{_NONE[row["state"]]}</span>'
    kind = "cc-right" if row["people"] == row["answer"] else "cc-wrong"
    votes = wording.count(int(row["votes"]), "person")
    return f'<span class="{kind}">{escape(row["people"])}</span><small class="cc-detail">{votes}</small>'

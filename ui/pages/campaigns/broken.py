"""Images that somebody could not judge: put back, or set aside."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from concord.common import wording
from data.store.campaigns import monitoring
from data.store.campaigns.monitoring import BrokenItem
from data.store.campaigns.participation import ENOUGH_REPORTS
from data.store.core.store import Store
from data.store.library import ItemSubject, item_subjects
from ui.components.acting import button
from ui.components.strip import THUMBNAIL
from ui.components.table import WRAP, note
from ui.root import at

NOTHING = f"No image has been reported as broken. One that {ENOUGH_REPORTS} people report is set aside by itself."


def table(store: Store, campaign_id: str) -> str:
    """Every item that was reported or set aside."""
    found = monitoring.broken_items(store, campaign_id)
    if not found:
        return note(NOTHING)
    looks = item_subjects(store, [one.item_id for one in found])
    aside = sum(one.aside for one in found)
    rows = "".join(_row(one, looks.get(one.item_id)) for one in found)
    head = "".join(f'<th scope="col">{name}</th>' for name in ("item", "reports", "state", ""))
    return (
        note(
            f"{wording.count(len(found), 'item')} reported or set aside; {aside:,} of them are offered to nobody. One that"
            f" {ENOUGH_REPORTS} people report is set aside by itself."
        )
        + f'{WRAP}<table class="cc-table cc-broken"><caption>Broken images</caption>'
        + f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(one: BrokenItem, subject: ItemSubject | None) -> str:
    text = (subject.text if subject else "") or one.item_id
    said = "".join(
        f"<li>{escape(report.person)}: {escape(report.reason or 'no reason given')}"
        f" <small>{report.moment:%Y-%m-%d %H:%M} UTC</small></li>"
        for report in one.reports
    )
    acts = [button("Put back", "back", f"Put back {one.item_id}", item=one.item_id)]
    if not one.aside:
        acts.append(button("Set aside", "aside", f"Set aside {one.item_id}", item=one.item_id))
    state = '<span class="cc-badge cc-badge--warn">set aside</span>' if one.aside else "still offered"
    return (
        f'<tr><th scope="row">{pictures(subject)}<span>{escape(text)}</span><small class="cc-detail">{escape(one.item_id)}'
        f'</small></th><td><ul class="cc-list">{said}</ul></td><td>{state}</td><td>{"".join(acts)}</td></tr>'
    )


def pictures(subject: ItemSubject | None, width: int = THUMBNAIL) -> str:
    """An item's images, each leading to the Workbench."""
    if subject is None:
        return ""
    href = at("/studio/workbench?" + urlencode({"id": subject.item_id}))
    made = [
        f'<img src="{escape(at(f"/img/{picture}?w={width}"))}" alt="{escape(subject.text or subject.item_id)}" loading="lazy">'
        for picture in subject.pictures
        if picture
    ]
    return f'<a class="cc-thumbs" href="{escape(href)}">{"".join(made)}</a>' if made else ""

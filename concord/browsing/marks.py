"""Tags that people give to images, and views of Images that they save."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from data.remarks import Tagging
from data.store.browse import filters
from data.store.core.store import Store
from data.store.judgements import remarks


class NoSuchView(LookupError):
    """There is no saved view of this name; the message says so."""


def tags_json(store: Store) -> list[dict[str, Any]]:
    """Return the project's tags."""
    return [asdict(tag) for tag in remarks.list_tags(store)]


def tag_items(store: Store, tagging: Tagging) -> dict[str, Any]:
    """Put a tag on items, or take it off; return whether that was new, and the items' tags.

    Raises:
        TagRefused: an item is not in the project.
    """
    new = remarks.tag_items(store, tagging)
    return {"new": new, "tags": remarks.tags_of_items(store, list(tagging.items))}


def views_json(store: Store) -> list[dict[str, Any]]:
    """Return the saved views of Images."""
    return [asdict(view) for view in filters.saved_views(store)]


def save_view(store: Store, view_id: str, name: str, query: str, by: str) -> list[dict[str, Any]]:
    """Save a view, the query of the address of Images, under a name; return all views."""
    filters.save_view(store, view_id, name, query.removeprefix("?"), by)
    return views_json(store)


def forget_view(store: Store, view_id: str, name: str, by: str) -> list[dict[str, Any]]:
    """Delete a view; return those that are left.

    Raises:
        NoSuchView: there is none of this name.
    """
    if name not in {view.name for view in filters.saved_views(store)}:
        raise NoSuchView(f"There is no view {name!r}.")
    filters.save_view(store, view_id, name, None, by)
    return views_json(store)

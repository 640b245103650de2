"""A generator at a glance: its name, a few of its pictures, and what people have said of them so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import urlencode

from concord.common import wording
from concord.common.base_path import at
from data.store.browse.contents import GeneratorPictures, ItemPreview
from data.store.core.selection import Selection

THUMBNAIL = 160


@dataclass(frozen=True, slots=True)
class ImageStrip:
    """One line. ``examples``: each ``item_id, sha256, text``."""

    shown: GeneratorPictures
    examples: Sequence[Mapping[str, Any]]


def image_strips(strips: Sequence[ImageStrip]) -> str:
    """A line for each generator, as HTML; nothing for none."""
    lines = "".join(f'<li class="cc-strip">{_about(strip.shown)}{_pictures(strip)}</li>' for strip in strips)
    return f'<ul class="cc-strips">{lines}</ul>' if lines else ""


def _about(shown: GeneratorPictures) -> str:
    name = shown.generator or shown.suite
    query = urlencode({"suite": shown.suite} | ({"generator": shown.generator} if shown.generator else {}))
    browse = f'<a href="{at("/studio/browse")}?{escape(query)}">{wording.count(shown.pictures, "image")}</a>'
    if shown.answers:
        answers_text = f"{wording.count(shown.answers, 'answer')} by people"
    else:
        answers_text = f'No person has judged {escape(name)} yet: <a href="{at("/annotate/")}">be the first</a>.'
    return (
        f'<div class="cc-strip-about"><h3>{escape(name)}</h3><p>{escape(shown.suite)} · {browse}</p><p>{answers_text}</p></div>'
    )


def _pictures(strip: ImageStrip) -> str:
    listing = Selection(suite=(strip.shown.suite,), generator=(strip.shown.generator,) if strip.shown.generator else ())
    looks = {example["item_id"]: ItemPreview(sha256=example["sha256"], text=example["text"]) for example in strip.examples}
    links = "".join(image_link(item, look, listing) for item, look in looks.items())
    return f'<div class="cc-strip-pictures">{links}</div>'


def picture_html(sha256: str | None, text: str, width: int = THUMBNAIL, none: str = "no picture", kind: str = "") -> str:
    """A picture, loaded as it scrolls into view, or where there is none a line that says so."""
    if not sha256:
        return f'<span class="cc-no-picture {kind}">{escape(none)}</span>'
    return f'<img src="{at("/img/")}{sha256}?w={width}" alt="{escape(text)}" loading="lazy" decoding="async">'


def image_link(
    item: str, look: ItemPreview | None, listing: Selection, below: str = "", shown: str = "", none: str | None = "no picture"
) -> str:
    """A thumbnail that opens its image on the Workbench, which lists the selection; ``below`` is HTML within the link.

    ``shown``: whose judgement of it is told here; ``none``: what stands for a picture that is not there, None: its prompt.
    """
    text = (look.text if look else None) or item
    picture = picture_html(look.sha256 if look else None, text, none=text if none is None else none)
    return f'<a href="{escape(workbench_address(item, listing, shown))}" title="{escape(text)}">{picture}{below}</a>'


def thumbnails(looks: Mapping[str, ItemPreview], captions: Mapping[str, str], listing: Selection, shown: str = "") -> str:
    """Pictures by item with a caption beneath, as HTML; each leads to the Workbench, which lists the selection.

    ``shown``: whose judgements the captions tell, which the Workbench remembers.
    """
    cells = "".join(
        image_link(item, looks.get(item), listing, f"<small>{escape(caption)}</small>", shown, none=None)
        for item, caption in captions.items()
    )
    return f'<div class="cc-strip-pictures cc-captioned">{cells}</div>'


def workbench_address(item: str, listing: Selection, shown: str = "") -> str:
    """The Workbench's address of an image among those of a selection; ``shown``: whose judgement of it has been told."""
    places = {name: values[0] for name, values in listing.to_dict().items() if name in ("suite", "task", "generator")}
    return at("/studio/workbench?") + urlencode({"id": item} | places | ({"shown": shown} if shown else {}))

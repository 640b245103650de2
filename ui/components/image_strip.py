"""A generator at a glance: its name, a few of its pictures, and what people have said of them so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import htpy
from htpy import Element, Node

from concord.common import wording
from concord.common.base_path import at
from data.browsing import GeneratorPictures, ItemPreview
from data.images.widths import IN_STRIPS
from data.selection import Selection


@dataclass(frozen=True, slots=True)
class ImageStrip:
    """One line. ``examples``: each ``item_id, sha256, text``."""

    shown: GeneratorPictures
    examples: Sequence[Mapping[str, Any]]


def image_strips(strips: Sequence[ImageStrip]) -> Node:
    """Return a line for each generator; nothing for none."""
    lines = [htpy.li(class_="cc-strip")[_about(strip.shown), _pictures(strip)] for strip in strips]
    return htpy.ul(class_="cc-strips")[lines] if lines else ""


def _about(shown: GeneratorPictures) -> Element:
    name = shown.generator or shown.suite
    query = urlencode({"suite": shown.suite} | ({"generator": shown.generator} if shown.generator else {}))
    browse = htpy.a(href=f"{at('/studio/images')}?{query}")[wording.count(shown.pictures, "image")]
    invitation = [f"No person has judged {name} yet: ", htpy.a(href=at("/annotate/"))["be the first"], "."]
    return htpy.div(class_="cc-strip-about")[
        htpy.h3[name],
        htpy.p[f"{shown.suite} · ", browse],
        htpy.p[f"{wording.count(shown.answers, 'answer')} by people" if shown.answers else invitation],
    ]


def _pictures(strip: ImageStrip) -> Element:
    listing = Selection(suite=(strip.shown.suite,), generator=(strip.shown.generator,) if strip.shown.generator else ())
    looks = {example["item_id"]: ItemPreview(sha256=example["sha256"], text=example["text"]) for example in strip.examples}
    return htpy.div(class_="cc-strip-pictures")[[image_link(item, look, listing) for item, look in looks.items()]]


def picture_address(sha256: str, width: int = IN_STRIPS) -> str:
    """Return the address of a picture in one of the widths of `data.images.widths`."""
    return f"{at('/img/')}{sha256}?w={width}"


def picture_html(sha256: str | None, text: str, width: int = IN_STRIPS, none: str = "no picture", kind: str = "") -> Node:
    """Return a picture, loaded as it scrolls into view, or where there is none a line that says so."""
    if not sha256:
        return htpy.span(class_=["cc-no-picture", kind])[none]
    return htpy.img(src=picture_address(sha256, width), alt=text, loading="lazy", decoding="async")


def image_link(
    item: str, look: ItemPreview | None, listing: Selection, below: Node = "", none: str | None = "no picture"
) -> Element:
    """Return a thumbnail that opens its image among those of a selection; `below` stands within the link.

    ``none``: what stands for a picture that is not there, None: its prompt.
    """
    text = (look.text if look else None) or item
    picture = picture_html(look.sha256 if look else None, text, none=text if none is None else none)
    return htpy.a(href=image_address(item, listing), title=text)[picture, below]


def thumbnails(looks: Mapping[str, ItemPreview], captions: Mapping[str, str], listing: Selection) -> Element:
    """Return pictures by item with a caption beneath; each opens its image among those of the selection."""
    cells = [image_link(item, looks.get(item), listing, htpy.small[caption], none=None) for item, caption in captions.items()]
    return htpy.div(class_="cc-strip-pictures cc-captioned")[cells]


def image_address(item: str, listing: Selection) -> str:
    """Return the address of Images with this image in its drawer, among those of a selection."""
    places = {name: values[0] for name, values in listing.to_dict().items() if name in ("suite", "task", "generator")}
    return at("/studio/images?") + urlencode(places | {"image": item})

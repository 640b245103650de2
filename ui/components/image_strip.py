"""Pictures of images, alone and as links that open them."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

import htpy
from htpy import Element, Node

from concord.common.base_path import at
from data.browsing import ItemPreview
from data.images.widths import IN_STRIPS


def picture_address(sha256: str, width: int = IN_STRIPS) -> str:
    """Return the address of a picture in one of the widths of `data.images.widths`."""
    return f"{at('/img/')}{sha256}?w={width}"


def picture_html(sha256: str | None, text: str, width: int = IN_STRIPS, none: str = "no picture", kind: str = "") -> Node:
    """Return a picture, loaded as it scrolls into view, or where there is none a line that says so."""
    if not sha256:
        return htpy.span(class_=["cc-no-picture", kind])[none]
    return htpy.img(src=picture_address(sha256, width), alt=text, loading="lazy", decoding="async")


def image_link(item: str, look: ItemPreview | None, listing: str, below: Node = "", none: str | None = "no picture") -> Element:
    """Return a thumbnail that opens its image among those of a listing.

    Args:
        item: the image.
        look: its prompt and its picture.
        listing: the address of the listing, as `browse_address` makes it.
        below: what stands within the link, below the picture.
        none: what stands for a picture that is not there; None: its prompt.
    """
    text = (look.text if look else None) or item
    picture = picture_html(look.sha256 if look else None, text, none=text if none is None else none)
    return htpy.a(href=image_address(item, listing), title=text)[picture, below]


def thumbnails(looks: Mapping[str, ItemPreview], captions: Mapping[str, str], listing: str) -> Element:
    """Return pictures by item with a caption beneath; each opens its image among those of the listing at an address."""
    cells = [image_link(item, looks.get(item), listing, htpy.small[caption], none=None) for item, caption in captions.items()]
    return htpy.div(class_="cc-strip-pictures cc-captioned")[cells]


def image_address(item: str, listing: str) -> str:
    """Return the address of a listing of images (`browse_address`) with this image in the drawer: its queue is the listing."""
    return f"{listing}{'&' if '?' in listing else '?'}{urlencode({'image': item})}"

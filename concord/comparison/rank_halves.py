"""Rank halves: the images that each of two raters puts in its upper or its lower half, where labels do not meet but numbers do.

A rater's number is `high` where its rank among the images that both judged is above the middle one. Equal numbers share a rank,
so they are all high or all low, and a half need not hold exactly half of the images.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from agreement import PairReport
from data.browsing import HIGH, LOW

Halves = tuple[str, str]
"""The half that the first and the second rater of a pair put an image in: `HIGH` or `LOW` each."""


@dataclass(frozen=True, slots=True)
class RankedImage:
    """An image with both raters' numbers of it.

    Attributes:
        x, y: the first and the second rater's number; people's mean.
        halves: which half of all images each puts it in.
        distance: between both ranks.
    """

    item: str
    x: float
    y: float
    halves: Halves
    distance: float

    @property
    def apart(self) -> bool:
        """True if the raters put it in unlike halves."""
        return self.halves[0] != self.halves[1]


@dataclass(frozen=True, slots=True)
class RankHalves:
    """A pair's images by half.

    Attributes:
        images: the most differently ranked ones first; of several targets of an image the most differently ranked one counts.
        cuts: the lowest number of each rater that is high; None where it has none, as all its numbers are equal.
    """

    images: tuple[RankedImage, ...]
    cuts: tuple[float | None, float | None]

    def of(self, halves: Halves) -> tuple[str, ...]:
        """Return the images of two halves: where these differ the most differently ranked first, else the nearest."""
        items = [each.item for each in self.images if each.halves == halves]
        return tuple(items if halves[0] != halves[1] else reversed(items))

    @property
    def apart(self) -> tuple[str, ...]:
        """The images that the raters put in unlike halves, the most differently ranked first."""
        return tuple(each.item for each in self.images if each.apart)

    @property
    def swapped(self) -> RankHalves:
        """The same with the second rater first."""
        images = tuple(replace(each, x=each.y, y=each.x, halves=each.halves[::-1]) for each in self.images)
        return RankHalves(images, self.cuts[::-1])

    @property
    def by_item(self) -> Mapping[str, RankedImage]:
        """The images by their ids."""
        return {each.item: each for each in self.images}


def rank_halves(pair: PairReport) -> RankHalves | None:
    """Return a pair's images by half; None where labels meet, or fewer than two images."""
    values = pair.values
    if pair.labels or values is None or len(values.x) < 2:
        return None
    middle = (len(values.x) + 1) / 2
    images: dict[str, RankedImage] = {}
    for item, x, y, rank_x, rank_y in zip(values.items, values.x, values.y, values.rank_x, values.rank_y, strict=True):
        halves = (HIGH if rank_x > middle else LOW, HIGH if rank_y > middle else LOW)
        image = RankedImage(item, x, y, halves, abs(rank_x - rank_y))
        if item not in images or image.distance > images[item].distance:
            images[item] = image
    ordered = tuple(sorted(images.values(), key=lambda each: (-each.distance, each.item)))
    cut_x = min((x for x, rank in zip(values.x, values.rank_x, strict=True) if rank > middle), default=None)
    cut_y = min((y for y, rank in zip(values.y, values.rank_y, strict=True) if rank > middle), default=None)
    return RankHalves(ordered, (cut_x, cut_y))

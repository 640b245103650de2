"""Planning a campaign: from a spec to its items, whether the questionnaire can ask about them, and what work that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from annotation.questionnaires import registry
from annotation.questionnaires.form import Form
from concord.campaigns import known_answers
from concord.campaigns.campaign_spec import CampaignSpec
from concord.campaigns.known_answers import ItemSubject
from data.campaign import Campaign, CampaignItem, sample_items
from data.files import quoted
from data.store.browse import contents
from data.store.campaigns import composition, management, monitoring
from data.store.campaigns.management import CampaignRefused
from data.store.campaigns.monitoring import Effort
from data.store.core import frame
from data.store.core.selection import Selection
from data.store.core.store import Store

_EXAMPLES: Final = {"image": "images", "group": "groups of images", "pair": "pairs of images"}
_FITS: Final = {"image": ("image",), "group": ("group", "image"), "pair": ("pair",)}
"""The kinds of item that a questionnaire for a kind takes: a prompt's only image is a group, too."""


@dataclass(frozen=True, slots=True)
class CampaignPlan:
    """A campaign that can be made.

    Attributes:
        available: items that the filters leave to draw from.
        composed: those of its items that are made of several images, by id; ``pair`` are the two generators.
        effort: how long one answer takes, as far as this project knows.
    """

    campaign: Campaign
    form: Form
    items: tuple[CampaignItem, ...]
    available: int
    selection: Selection
    pair: tuple[str, str] | None
    effort: Effort

    def count(self, role: str) -> int:
        """How many items have this role."""
        return sum(item.role == role for item in self.items)

    @property
    def answers(self) -> int:
        """Answers to ordinary items that it takes."""
        return self.count("ordinary") * self.campaign.overlap

    @property
    def with_checks(self) -> int:
        """All answers but those of training: where checks are mixed in, one of so many is a check."""
        every = self.campaign.settings.check_every
        if every is None or not (self.count("gold") or self.count("attention")):
            return self.answers
        return -(-self.answers * every // (every - 1))

    @property
    def hours(self) -> float | None:
        """Of all these together, at the median active time of one answer; None while nobody has answered."""
        return None if self.effort.seconds is None else self.with_checks * self.effort.seconds / 3600


def plan_campaign(store: Store, wish: CampaignSpec) -> CampaignPlan:
    """What would be made; nothing is written.

    Raises:
        ValueError: it cannot be: one line that says why and what to do.
    """
    form = form_of(wish)
    selection = Selection(suite=wish.suite, task=wish.task, generator=wish.generator)
    pair = _pair(store, selection) if form.item_kind == "pair" and not wish.items else None
    pool = _item_pool(store, form, wish, selection, pair)
    items = _candidate_items(store, form, wish, pool)
    title = wish.title.strip() or wish.campaign_id
    campaign = Campaign(
        wish.campaign_id, title, form.name, wish.overlap, form.version, wish.definition, wish.seed, settings=wish.settings
    )
    if wish.settings.check_every is None and any(item.role in ("gold", "attention") for item in items):
        raise CampaignRefused("gold and attention items are mixed in only with check_every: 10 makes one item of ten a check")
    if wish.settings.check_every is not None and not any(item.role in ("gold", "attention") for item in items):
        raise CampaignRefused(f"check_every is {wish.settings.check_every}, but no gold or attention item is given to mix in")
    if wish.settings.pass_mark is not None and not any(item.role == "training" for item in items):
        raise CampaignRefused("a pass mark is for training, and no training item is given")
    return CampaignPlan(campaign, form, items, len(pool), selection, pair, monitoring.effort(store, form.name))


def make_campaign(store: Store, wish: CampaignSpec) -> CampaignPlan:
    """Make the campaign, as a draft; returns what was made.

    Raises:
        ValueError: as ``plan``; ``CampaignRefused``: the id is taken.
    """
    made = plan_campaign(store, wish)
    if management.get(store, made.campaign.campaign_id) is not None:
        raise CampaignRefused(f"there is a campaign {wish.campaign_id!r} already; give this one another id")
    ids = {item.item_id for item in made.items}
    if made.form.item_kind == "group" and not wish.items:
        composition.groups(store, made.selection, ids)
    elif made.pair is not None:
        composition.pairs(store, made.selection, *made.pair, ids)
    management.create(store, made.campaign, made.items)
    return made


def form_of(wish: CampaignSpec) -> Form:
    """The questionnaire.

    Raises:
        ValueError: there is none of this name, or the definition is wrong.
    """
    return registry.get(wish.questionnaire, wish.definition or None)


def _pair(store: Store, selection: Selection) -> tuple[str, str]:
    """The two generators."""
    named = selection.generator
    if not named:
        named = tuple(
            sorted({one.generator for one in contents.generator_pictures(store) if one.generator and _in(one.suite, selection)})
        )
    if len(named) != 2:
        said = f"; there are {', '.join(named)}" if not selection.generator and named else f", got {len(named)}"
        raise CampaignRefused(f"pairs are of two generators: name both{said}")
    return named[0], named[1]


def _in(suite: str, selection: Selection) -> bool:
    return not selection.suite or suite in selection.suite


def _item_pool(
    store: Store, form: Form, wish: CampaignSpec, selection: Selection, pair: tuple[str, str] | None
) -> dict[str, ItemSubject]:
    """The items to draw from."""
    if wish.items:
        return _named_items(store, wish.items)
    if form.item_kind == "group":
        found = known_answers.subjects_of_composed(store, composition.possible_groups(store, selection), "group")
    elif pair is not None:
        found = known_answers.subjects_of_composed(store, composition.possible_pairs(store, selection, *pair), "pair")
    else:
        found = known_answers.subjects_of_items(store, composition.images(store, selection))
    if not found:
        why = {"group": "; a group has two images or more of one prompt", "pair": "; a pair has one image of each generator"}
        raise CampaignRefused(
            f"no {_EXAMPLES[form.item_kind]} with files fit this selection{why.get(form.item_kind, '')}: choose another, or"
            " import images"
        )
    return found


def _named_items(store: Store, item_ids: Sequence[str]) -> dict[str, ItemSubject]:
    """Items named by hand, in their order.

    Raises:
        CampaignRefused: some are not there.
    """
    found = known_answers.subjects_of_items(store, item_ids)
    missing = [one for one in item_ids if one not in found]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise CampaignRefused(f"there is no item {quoted(missing[0])}{more} in this project")
    return {item_id: found[item_id] for item_id in item_ids}


def _candidate_items(store: Store, form: Form, wish: CampaignSpec, pool: Mapping[str, ItemSubject]) -> tuple[CampaignItem, ...]:
    rows = known_answers.read_known_answers(wish.known)
    of_known = (
        pool if _all_in(rows, pool) else {**known_answers.subjects_of_items(store, [row.item_id for row in rows]), **pool}
    )
    special = known_answers.check_known_answers(form, rows, of_known)
    taken = {item.item_id for item in special}
    chosen = [item_id for item_id in pool if item_id not in taken]
    also = [item_id for item_id in dict.fromkeys(wish.also) if item_id not in taken]
    hand = _named_items(store, [item_id for item_id in also if item_id not in pool])
    ordinary = _sample_items(wish, chosen)
    there = {item.item_id for item in ordinary}
    ordinary += [CampaignItem(item_id) for item_id in also if item_id not in there]
    if wish.settings.order == "fixed" and not wish.items:
        ordinary.sort(key=lambda item: item.item_id)
    asked_of = [(pool.get(item.item_id) or hand[item.item_id]) for item in ordinary]
    _check_fit(form, asked_of, len(pool))
    _check_scales(store, form, sorted({one.suite for one in asked_of}))
    return (*ordinary, *special)


def _all_in(rows: Sequence[known_answers.KnownAnswerRow], pool: Mapping[str, ItemSubject]) -> bool:
    return all(row.item_id in pool for row in rows)


def _sample_items(wish: CampaignSpec, chosen: Sequence[str]) -> list[CampaignItem]:
    if wish.n is not None and wish.n > len(chosen):
        raise CampaignRefused(f"{wish.n} items are to be drawn, but only {len(chosen)} are there to draw from")
    if not wish.items:
        return sample_items(chosen, wish.n, wish.seed)
    # a part of a list that somebody chose is no sample of anything else
    some = sample_items(chosen, wish.n, wish.seed) if wish.n is not None else [CampaignItem(item_id) for item_id in chosen]
    drawn = {item.item_id for item in some}
    return [CampaignItem(item_id) for item_id in chosen if item_id in drawn]


def _check_fit(form: Form, items: Sequence[ItemSubject], available: int) -> None:
    """Refuse a questionnaire that cannot ask about all of them, with how many and why."""
    if not items:
        raise CampaignRefused(f"of {available} items none is left to be ordinary: gold and training items measure nothing")
    why: dict[str, list[str]] = {}
    for one in items:
        problem = form.problem(one.asked)
        if problem is None and one.kind not in _FITS[form.item_kind]:
            problem = f"'{form.name}' is asked of {_EXAMPLES[form.item_kind]}, and this is one of {_EXAMPLES[one.kind]}"
        if problem is not None:
            why.setdefault(problem, []).append(one.item_id)
    if why:
        n = sum(map(len, why.values()))
        told = "; ".join(f"{len(ids)} such as {quoted(ids[0], 100)}: {problem}" for problem, ids in why.items())
        raise CampaignRefused(f"'{form.name}' cannot ask about {n} of {len(items)} items ({told})")


def _check_scales(store: Store, form: Form, suites: Sequence[str]) -> None:
    """Refuse a questionnaire whose own aspect has another scale in the project: one suite's aspect has one scale."""
    known_scales = frame.scales(store)
    for suite in suites:
        for aspect, scale in form.scales.items():
            there = known_scales.get((suite, aspect), scale)
            if there != scale:
                raise CampaignRefused(
                    f"'{form.name}' judges {aspect} on the scale {scale}, and in {suite} it has the scale {there}; name the"
                    " aspect otherwise"
                )

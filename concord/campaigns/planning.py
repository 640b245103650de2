"""Planning a campaign: its items, and what work that is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pandas as pd

from agreement.meta.drawing import draw_probabilities, expected_error, ranked
from annotation.questionnaires import geneval, geneval_authors, registry
from annotation.questionnaires.custom import YamlError, read_yaml
from annotation.questionnaires.form import Form
from concord.campaigns import known_answers
from concord.campaigns.gold import CHECK_EVERY, EXAMPLES, GoldItems, gold_items
from concord.campaigns.spec import CampaignSpec, request_values
from data.campaigns import checks
from data.campaigns.items import CampaignItem, checks_beside, draw_items, expected_checks, sample_items
from data.campaigns.settings import Campaign
from data.files import InputError, quoted
from data.refusals import CampaignRefused
from data.selection import Selection
from data.store.browse import contents
from data.store.campaigns import drafts, draws, management, monitoring
from data.store.campaigns.drafts import Draft
from data.store.campaigns.monitoring import Effort
from data.store.core import frame
from data.store.core.store import Store
from data.store.library import ItemSubject, item_subjects

_SCORE: Final = "score"


def from_yaml(text: str, origin: str) -> dict[str, Any]:
    """The values of a campaign's file, by name.

    Raises:
        InputError: it is no YAML map.
    """
    try:
        values = read_yaml(text)
    except YamlError as error:
        raise InputError(f"{origin}: {error}") from None
    if not isinstance(values, dict):
        raise InputError(f"{origin}: a map such as 'title: My study' expected, line by line")
    return values


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
        prompts: how many different ones its ordinary items have, by suite.
        unasked: how many items are left out, as the questionnaire asks a prompt's own questions and theirs has none.
    """

    campaign: Campaign
    form: Form
    items: tuple[CampaignItem, ...]
    available: int
    selection: Selection
    pair: tuple[str, str] | None
    effort: Effort
    prompts: Mapping[str, int]
    unasked: int = 0

    def count(self, role: str) -> int:
        """How many items have this role."""
        return sum(item.role == role for item in self.items)

    @property
    def answers(self) -> int:
        """Answers to ordinary items that it takes."""
        return self.count("ordinary") * self.campaign.overlap

    @property
    def with_checks(self) -> int:
        """All answers but those of training, if everybody answers as many items as they may: the checks that they meet, too.

        Nobody meets a check twice, so a few gold items make few of these answers.
        """
        each, checks = self._ordinary_each, self._checks_met
        if not checks:
            return self.answers
        whole, rest = divmod(self.answers, each)
        last = min(self._checks_available, checks_beside(self.campaign.settings.check_every or 2, rest))
        return self.answers + math.ceil(whole * checks + last)

    @property
    def checks_each(self) -> int:
        """Number of checks that a person meets who answers as many items as they may; 0 without any."""
        return round(self._checks_met)

    @property
    def _checks_available(self) -> int:
        return self.count("gold") + self.count("attention")

    @property
    def _checks_met(self) -> float:
        """Checks of a person who answers as many items as they may, in the mean."""
        every, limit = self.campaign.settings.check_every, self.campaign.settings.limit
        if every is None:
            return 0.0
        beside = checks_beside(every, self.count("ordinary"))
        return min(self._checks_available, beside if limit is None else min(beside, expected_checks(every, limit)))

    @property
    def _ordinary_each(self) -> int:
        """Ordinary items of a person who answers as many items as they may."""
        ordinary, limit = self.count("ordinary"), self.campaign.settings.limit
        return max(ordinary if limit is None else min(ordinary, round(limit - self._checks_met)), 1)

    def pause_chance(self, error: float) -> float:
        """Return the probability that somebody wrong on a share ``error`` of checks is paused by the last that they meet."""
        settings, gold = self.campaign.settings, self.count("gold")
        met = round(self.checks_each * gold / max(gold + self.count("attention"), 1))
        by_gold = checks.pause_chance(met, error, settings.gold_pass_mark)
        by_attention = checks.pause_chance(self.checks_each - met, error, settings.attention_pass_mark)
        return 1 - (1 - by_gold) * (1 - by_attention)

    @property
    def hours(self) -> float | None:
        """Of all these together, at the median active time of one answer; None while nobody has answered."""
        return None if self.effort.seconds is None else self.with_checks * self.effort.seconds / 3600

    @property
    def cost(self) -> Decimal | None:
        """Of all these together by the price of an item, with the platform's fee; None where none is paid."""
        pay = self.campaign.settings.pay
        return pay.cost_of(self.with_checks) if pay.price else None


def plan_campaign(store: Store, wish: CampaignSpec, added: Sequence[CampaignItem] = ()) -> CampaignPlan:
    """What would be made; nothing is written. ``added``: gold that verdicts gave a draft besides.

    Raises:
        ValueError: it cannot be: one line that says why and what to do.
    """
    form = form_of(wish)
    selection = Selection(suite=wish.suite, task=wish.task, generator=wish.generator)
    pair = _pair(store, selection) if form.item_kind == "pair" and not wish.items else None
    found = _item_pool(store, form, wish, selection, pair)
    pool = _with_questions(form, wish, found)
    if not (wish.questionnaire or wish.definition or any(subject.spec for subject in pool.values())):
        form = registry.YES_NO
    gold = _gold(store, form, wish, len(pool))
    if gold is not None or added:
        texts = [gold.examples if gold else "", wish.settings.instructions]
        # gold that nobody meets checks nobody
        every = wish.settings.check_every or (CHECK_EVERY if added or wish.gold_n else None)
        wish = replace(wish, settings=replace(wish.settings, check_every=every, instructions="\n\n".join(filter(None, texts))))
    items = _candidate_items(store, form, wish, selection, pool, gold or GoldItems())
    by_verdict = {item.item_id for item in added}
    items = (*(item for item in items if item.item_id not in by_verdict), *added)
    title = wish.title.strip() or wish.campaign_id
    campaign = Campaign(
        wish.campaign_id,
        title,
        form.name,
        form.overlap if wish.overlap is None else wish.overlap,
        form.version,
        wish.definition,
        wish.seed,
        settings=wish.settings,
    )
    if wish.settings.check_every is None and any(item.role in ("gold", "attention") for item in items):
        raise CampaignRefused(
            "gold and attention images are mixed in only with check_every: 10 makes one image in ten a check", "check_every"
        )
    if wish.settings.check_every is not None and not any(item.role in ("gold", "attention") for item in items):
        raise CampaignRefused(
            f"check_every is {wish.settings.check_every}, but no gold or attention image is given to mix in:"
            " say where right answers come from, or leave check_every out",
            "check_every",
        )
    if wish.settings.pass_mark is not None and not any(item.role == "training" for item in items):
        raise CampaignRefused("a pass mark is for training, and no training image is given", "pass_mark")
    ordinary = [pool[item.item_id] for item in items if item.role == "ordinary" and item.item_id in pool]
    prompts = Counter(suite for suite, _ in {(subject.suite, subject.text) for subject in ordinary})
    effort = monitoring.effort(store, form.name)
    return CampaignPlan(campaign, form, items, len(pool), selection, pair, effort, prompts, len(found) - len(pool))


def make_campaign(store: Store, wish: CampaignSpec, values: Mapping[str, Any] | None = None) -> CampaignPlan:
    """Make the campaign, as a draft that can be edited; returns what was made.

    ``values``: what the draft remembers as asked for; without them what ``wish`` says.

    Raises:
        ValueError: as ``plan_campaign``; ``CampaignRefused``: the id is taken.
    """
    made = plan_campaign(store, wish)
    if management.get(store, made.campaign.campaign_id) is not None:
        raise CampaignRefused(f"there is a campaign {wish.campaign_id!r} already; give this one another id", "id")
    asked = request_values(wish) if values is None else values
    drafts.create(store, Draft(made.campaign, made.items, _composed_pool(store, wish, made), asked))
    return made


def remake_campaign(store: Store, wish: CampaignSpec, values: Mapping[str, Any], added: Sequence[CampaignItem]) -> CampaignPlan:
    """Make a draft anew, by other values; returns what was made.

    Args:
        store: the open project.
        wish: what is asked for.
        values: what the draft remembers as asked for.
        added: gold that verdicts gave it, which stays.

    Raises:
        ValueError: as ``plan_campaign``; ``CampaignRefused``: there is no such draft.
    """
    made = plan_campaign(store, wish, added)
    drafts.replace(store, Draft(made.campaign, made.items, _composed_pool(store, wish, made), values))
    return made


def _composed_pool(store: Store, wish: CampaignSpec, made: CampaignPlan) -> draws.Pool | None:
    """Make the items of several images that a plan has; returns what was drawn from."""
    ids = {item.item_id for item in made.items}
    if made.form.item_kind == "group" and not wish.items:
        management.groups(store, made.selection, ids)
    elif made.pair is not None:
        management.pairs(store, made.selection, *made.pair, ids)
    return None if wish.items else draws.pool(store, made.selection)


def form_of(wish: CampaignSpec) -> Form:
    """The questionnaire.

    Raises:
        ValueError: there is none of this name, or the definition is wrong.
    """
    if wish.questionnaire == geneval_authors.NAME and not wish.definition:
        raise ValueError(f"'{geneval_authors.NAME}' is in words that a file brings: --questionnaire geneval --template FILE")
    return registry.get(wish.questionnaire or geneval.NAME, wish.definition or None)


def _pair(store: Store, selection: Selection) -> tuple[str, str]:
    """The two generators."""
    named = selection.generator
    if not named:
        there = contents.generator_pictures(store)
        fitting = {pictures.generator for pictures in there if not selection.suite or pictures.suite in selection.suite}
        named = tuple(sorted(filter(None, fitting)))
    if len(named) != 2:
        problem = f"; there are {', '.join(named)}" if not selection.generator and named else f", got {len(named)}"
        raise CampaignRefused(f"pairs are of two generators: name both{problem}", "generator")
    return named[0], named[1]


def _item_pool(
    store: Store, form: Form, wish: CampaignSpec, selection: Selection, pair: tuple[str, str] | None
) -> dict[str, ItemSubject]:
    """The items to draw from."""
    if wish.items:
        return _named_items(store, wish.items, "items")
    if form.item_kind == "group":
        subjects = known_answers.subjects_of_composed(store, management.possible_groups(store, selection), "group")
    elif pair is not None:
        subjects = known_answers.subjects_of_composed(store, management.possible_pairs(store, selection, *pair), "pair")
    else:
        subjects = item_subjects(store, management.images(store, selection))
    if not subjects:
        why = {"group": "; a group has two images or more of one prompt", "pair": "; a pair has one image of each generator"}
        raise CampaignRefused(
            f"no {_EXAMPLES[form.item_kind]} with files fit this selection{why.get(form.item_kind, '')}: choose another, or"
            " import images",
            "suite",
        )
    return subjects


def _with_questions(form: Form, wish: CampaignSpec, pool: Mapping[str, ItemSubject]) -> dict[str, ItemSubject]:
    """Return the items that a questionnaire of prompts' own questions can ask about; all where none has any, to be refused with
    the reason, and all that were picked by hand."""
    if not form.prompted or wish.items:
        return dict(pool)
    return {item_id: subject for item_id, subject in pool.items() if subject.questions} or dict(pool)


def _named_items(store: Store, item_ids: Sequence[str], field: str) -> dict[str, ItemSubject]:
    """Items that a field names by hand, in their order.

    Raises:
        CampaignRefused: some are not there.
    """
    subjects = item_subjects(store, item_ids)
    missing = [item_id for item_id in item_ids if item_id not in subjects]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise CampaignRefused(f"there is no item {quoted(missing[0])}{more} in this project", field)
    return {item_id: subjects[item_id] for item_id in item_ids}


def _gold(store: Store, form: Form, wish: CampaignSpec, available: int) -> GoldItems | None:
    """Return the gold that is wished for; of the images available, those that are asked about leave no place for examples."""
    if not wish.gold_from:
        return None
    examples = wish.examples_n
    if examples is None and wish.n is not None and available - wish.n < wish.gold_n + wish.training_n + EXAMPLES:
        examples = 0
    try:
        items = gold_items(store, form, wish.gold_from, wish.gold_n, wish.training_n, examples, wish.seed)
    except ValueError as error:
        raise CampaignRefused(str(error), "gold_from") from error
    needed = wish.gold_n + wish.training_n + (wish.examples_n or 0)
    if items.available < needed:
        raise CampaignRefused(
            f"{needed} images with known answers are asked for, and only {items.available} can be had from {wish.gold_from}",
            "gold_n",
        )
    return items


def _candidate_items(
    store: Store,
    form: Form,
    wish: CampaignSpec,
    selection: Selection,
    pool: Mapping[str, ItemSubject],
    gold: GoldItems,
) -> tuple[CampaignItem, ...]:
    rows = [*known_answers.read_known_answers(wish.known), *gold.rows]
    elsewhere = item_subjects(store, [row.item_id for row in rows if row.item_id not in pool])
    special = known_answers.check_known_answers(form, rows, {**elsewhere, **pool})
    taken = {item.item_id for item in special} | {*gold.shown}
    chosen = [item_id for item_id in pool if item_id not in taken]
    also = [item_id for item_id in dict.fromkeys(wish.also) if item_id not in taken]
    hand = _named_items(store, [item_id for item_id in also if item_id not in pool], "also")
    if wish.draw == "weighted" and wish.n is not None and wish.n <= len(chosen):
        if form.item_kind != "image":
            raise CampaignRefused(
                f"weighted draws are of single images, and '{form.name}' asks about a {form.item_kind}", "draw"
            )
        ordinary = _weighted_items(store, selection, chosen, form.scales, wish.n, wish.seed)
    else:
        ordinary = _sample_items(wish, chosen)
    there = {item.item_id for item in ordinary}
    ordinary += [CampaignItem(item_id) for item_id in also if item_id not in there]
    if wish.settings.order == "fixed" and not wish.items:
        ordinary.sort(key=lambda item: item.item_id)
    asked_of = [(pool.get(item.item_id) or hand[item.item_id]) for item in ordinary]
    _check_fit(form, asked_of, len(pool))
    # one suite's aspect has one scale
    known_scales = frame.scales(store)
    for suite in sorted({subject.suite for subject in asked_of}):
        for aspect, scale in form.scales.items():
            known_scale = known_scales.get((suite, aspect), scale)
            if known_scale != scale:
                raise CampaignRefused(
                    f"'{form.name}' judges {aspect} on the scale {scale}, and in {suite} it has the scale {known_scale};"
                    " give the aspect another name",
                    "questionnaire",
                )
    return (*ordinary, *special)


def _sample_items(wish: CampaignSpec, chosen: Sequence[str]) -> list[CampaignItem]:
    if wish.n is not None and wish.n > len(chosen):
        raise CampaignRefused(f"{wish.n} images are requested, but only {len(chosen)} are available", "n")
    if not wish.items:
        return sample_items(chosen, wish.n, wish.seed)
    # a part of a list that somebody chose is no sample of anything else
    some = sample_items(chosen, wish.n, wish.seed) if wish.n is not None else [CampaignItem(item_id) for item_id in chosen]
    drawn = {item.item_id for item in some}
    return [CampaignItem(item_id) for item_id in chosen if item_id in drawn]


def _weighted_items(
    store: Store, selection: Selection, item_ids: Sequence[str], aspects: Collection[str], expected: int, seed: int
) -> list[CampaignItem]:
    """Of these images ``expected`` or about so many, drawn by how likely scorers are wrong about these aspects.

    Estimates weigh the labels by these chances; agreement leaves them out, as it would be about hard images only.

    A scorer's verdicts count; where it has none of these aspects, its scores by their rank.

    Raises:
        CampaignRefused: no scorer has judged them.
    """
    judged = frame.frame(store, selection)
    judged = judged[(judged.kind == "scorer") & judged.excluded.isna() & judged.target.isna()]
    verdicts = [
        _verdicts(rows, np.asarray(item_ids, dtype=object), aspects)
        for _, rows in judged[judged.aspect.isin([*aspects, _SCORE])].groupby("rater")
    ]
    if not any(np.isfinite(each).any() for each in verdicts):
        raise CampaignRefused("no scorer has judged these images: score them first, or draw them at random", "draw")
    chances = draw_probabilities(expected_error(verdicts), expected)
    return draw_items(dict(zip(item_ids, map(float, chances), strict=True)), seed)


def _verdicts(rows: pd.DataFrame, items: np.ndarray, aspects: Collection[str]) -> np.ndarray:
    own = rows[rows.aspect.isin(aspects)]
    numbers = (rows if own.empty else own).groupby("item").number.mean().reindex(items).to_numpy(float)
    known = numbers[np.isfinite(numbers)]
    # yes, no and what is between stay; other numbers have no cut that is known
    return numbers if not own.empty and ((known >= 0) & (known <= 1)).all() else ranked(numbers)


def _check_fit(form: Form, items: Sequence[ItemSubject], available: int) -> None:
    """Refuse a questionnaire that cannot ask about all of them, with how many and why."""
    if not items:
        raise CampaignRefused(
            f"of {available} images none is left as an ordinary one; gold and training images alone measure nothing",
            "n",
        )
    why: dict[str, list[str]] = {}
    for subject in items:
        problem = form.problem(known_answers.subject_of(subject))
        if problem is None and subject.kind not in _FITS[form.item_kind]:
            problem = f"'{form.name}' is asked of {_EXAMPLES[form.item_kind]}, and this is one of {_EXAMPLES[subject.kind]}"
        if problem is not None:
            why.setdefault(problem, []).append(subject.item_id)
    if why:
        n = sum(map(len, why.values()))
        problems = "; ".join(f"{len(ids)} such as {quoted(ids[0], 100)}: {problem}" for problem, ids in why.items())
        raise CampaignRefused(f"'{form.name}' cannot ask about {n} of {len(items)} items ({problems})", "questionnaire")

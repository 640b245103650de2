"""Gold without a file: items whose right answer follows from what was answered and decided already.

Three sources. A *person's* answers, such as a researcher's own on the Workbench or in the form. *Verdicts*: of an item with a
verdict, what those say alike whom all its verdicts confirm, and not everybody else. *Unanimous* items: what all of
``FEWEST`` people or more say alike. A form of one question takes what people said by other questions, or in imported tables,
for answers to it (`restated`). Free texts and "cannot tell" are no key. A grade is right within one level, as honest
people differ by one; where that would accept every level, the question is no key.

A single item becomes gold of a draft (``make_gold``) once a verdict confirms somebody's answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from annotation.questionnaires.base import Question, Questionnaire, is_blank, visible
from annotation.questionnaires.form import Form
from concord.campaigns import restated
from concord.campaigns.known_answers import KnownAnswerRow, check_known_answers, subject_of
from concord.judging import form_of
from data.aspects import CANNOT_TELL, YES
from data.campaigns.items import CampaignItem, seeded_number
from data.campaigns.settings import Campaign
from data.people import looks_like_pseudonym
from data.remarks import Adjudication
from data.store.campaigns import management, monitoring
from data.store.core.store import Store
from data.store.judgements import remarks
from data.store.library import ItemSubject, item_subjects

FEWEST: Final = 3
"""People who must say the same before that is taken for right."""
CHECK_EVERY: Final = 10
"""One item in so many is a check where gold comes without that being said."""
EXAMPLES: Final = 3
"""So many pictures with right answers stand before the instructions."""
PERSON: Final = "person "
SOURCES: Final = ("verdicts", "unanimous")
"""Besides ``person NAME``."""


@dataclass(frozen=True, slots=True)
class GoldItems:
    """Items with known answers, and the examples as Markdown.

    Attributes:
        shown: the items of the examples, which nobody is asked about.
        available: how many items the source has.
    """

    rows: tuple[KnownAnswerRow, ...] = ()
    examples: str = ""
    shown: tuple[str, ...] = ()
    available: int = 0


def gold_items(
    store: Store, form: Form, source: str, gold: int, training: int = 0, examples: int | None = 0, seed: int = 0
) -> GoldItems:
    """So many items from a source in the questionnaire's words, drawn by the seed: examples first, then training, then gold.

    ``source`` is ``verdicts``, ``unanimous`` or ``person NAME``; ``examples`` None: the usual number, as far as items are left.

    Raises:
        ValueError: there is no such source, or it has no item at all.
    """
    keys = _keys(store, form, source)
    if not keys:
        raise ValueError(f"no image has a right answer from {_NAMES.get(source, source)} in '{form.name}' yet")
    if examples is None:
        examples = min(EXAMPLES, max(len(keys) - gold - training, 0))
    drawn = sorted(keys, key=lambda item: (seeded_number(seed, "gold", item), item))
    shown, rest = drawn[:examples], drawn[examples:]
    roles = ["training"] * training + ["gold"] * gold
    origin = f"gold from {source}"
    rows = [
        KnownAnswerRow(origin, item, role, keys[item].expected, texts=False) for item, role in zip(rest, roles, strict=False)
    ]
    subjects = item_subjects(store, shown)
    text = "\n\n".join(_example(form, subjects[item], keys[item].given) for item in shown)
    return GoldItems(tuple(rows), text, tuple(shown), len(keys))


_NAMES: Final = {"verdicts": "verdicts", "unanimous": f"{FEWEST} people or more who all agree"}


@dataclass(frozen=True, slots=True)
class GoldSources:
    """The sources of gold in a project, and how much each has.

    Attributes:
        images: how many images each source has, by its name; people by name, who may be known.
        answered: the number of images that somebody has answered in the form's words; ``most``: people on one of them.
        elsewhere: the number of images that people answered by other questions, which say nothing in the form's words.
    """

    images: Mapping[str, int]
    answered: int
    most: int
    elsewhere: int


def sources(store: Store, form: Form) -> GoldSources:
    """Return what there is to make gold of in a form's words, and what is missing where there is nothing."""
    people: dict[str, set[str]] = {}
    said = _statements(store, form)
    for item, answers in said.items():
        for answer in answers:
            if not looks_like_pseudonym(answer.person):
                people.setdefault(answer.person, set()).add(item)
    counts = {name: len(_keys_among(store, form, name, said)) for name in SOURCES}
    images = {name: n for name, n in counts.items() if n} | {f"{PERSON}{name}": len(people[name]) for name in sorted(people)}
    most = max((len({answer.person for answer in answers if answer.counts}) for answers in said.values()), default=0)
    return GoldSources(images, len(said), most, 0 if said else monitoring.answered_images(store))


@dataclass(frozen=True, slots=True)
class _Statement:
    """One person's answers about an image in a form's words; ``counts``: blind and valid."""

    person: str
    answers: Mapping[str, Any]
    counts: bool


def _statements(store: Store, form: Form) -> dict[str, list[_Statement]]:
    """Return everybody's answers by image: those to the form, and of others those that can be said in its words."""
    said: dict[str, list[_Statement]] = {}
    for answer in monitoring.answers_to(store, form.name):
        said.setdefault(answer.item_id, []).append(_Statement(answer.person, answer.answers, answer.counts))
    aspect = restated.only_aspect(form)
    labels = restated.labels_of_people(store, aspect) if aspect is not None else {}
    subjects = item_subjects(store, sorted(labels))
    for item, given in labels.items():
        subject, there = subjects.get(item), {answer.person for answer in said.get(item, ())}
        new = [each for each in given if each.person not in there]
        if not new or subject is None or form.problem(subject_of(subject)) is not None:
            continue
        meant = restated.answers_by_label(form, subject)
        found = [_Statement(each.person, meant[each.label], counts=True) for each in new if each.label in meant]
        if found:
            said.setdefault(item, []).extend(found)
    return said


@dataclass(frozen=True, slots=True)
class _Key:
    """The right answers to an item: as they were given, and as others' are compared with them."""

    given: Mapping[str, Any]
    expected: Mapping[str, Any]


def _keys(store: Store, form: Form, source: str) -> Mapping[str, _Key]:
    """Right answers by item."""
    if source not in SOURCES and not source.startswith(PERSON):
        raise ValueError(f"gold comes from verdicts, unanimous or 'person NAME', got {source!r}")
    return _keys_among(store, form, source, _statements(store, form))


def _keys_among(store: Store, form: Form, source: str, by_item: Mapping[str, Sequence[_Statement]]) -> Mapping[str, _Key]:
    """Return the right answers that a source gives among what people said."""
    decided: dict[str, list[Adjudication]] = {}
    for verdict in remarks.verdicts(store) if source == "verdicts" else ():
        if verdict.wrong in ("scorer", "person"):
            decided.setdefault(verdict.item_id, []).append(verdict)
    if source == "verdicts":
        by_item = {item: answers for item, answers in by_item.items() if item in decided}
    subjects = item_subjects(store, sorted(by_item))
    keys = {}
    for item, answers in by_item.items():
        subject = subjects.get(item)
        if subject is None or form.problem(subject_of(subject)) is not None:
            continue
        given_answers = _given(form, subject, source, answers, decided.get(item, ()))
        if right := _expected_answers(form, subject, given_answers):
            keys[item] = _Key(given_answers, right)
    return keys


def make_gold(store: Store, campaign_id: str, item_id: str, person: str) -> CampaignItem:
    """An item with a verdict becomes gold of a draft: right is what its verdicts confirm of people's answers.

    Where none of those that count are confirmed, it is what this person says, blind or not, if the verdicts confirm that.

    Raises:
        ValueError: there is no such draft, no verdict, or nobody's answers are confirmed: a line that says what to do.
    """
    campaign, subject = management.get(store, campaign_id), item_subjects(store, [item_id]).get(item_id)
    if campaign is None or subject is None:
        raise ValueError(f"there is no campaign {campaign_id!r}" if campaign is None else f"there is no item {item_id!r}")
    form = form_of(campaign.questionnaire, campaign.definition)
    if (unfit := form.problem(subject_of(subject))) is not None:
        raise ValueError(f"'{form.name}' cannot ask about this image: {unfit}")
    verdicts = [verdict for verdict in remarks.verdicts(store, [item_id]) if verdict.wrong in ("scorer", "person")]
    if not verdicts:
        raise ValueError("no verdict says what is right about this image; give one first")
    answers = _statements(store, form).get(item_id, [])
    given_answers = _given(form, subject, "verdicts", answers, verdicts)
    own = [answer.answers for answer in answers if answer.person == person][-1:]
    if not given_answers and own and _confirmed(form, subject, own[0], verdicts):
        given_answers = _agreed(form.build(subject_of(subject)), own)
    if not (expected := _expected_answers(form, subject, given_answers)):
        raise ValueError(f"nobody's answers to '{form.name}' say what the verdict says; answer this image yourself first")
    row = KnownAnswerRow("the verdict", item_id, "gold", expected, texts=False)
    (item,) = check_known_answers(form, [row], {item_id: subject})
    management.add_gold(store, campaign_id, item, CHECK_EVERY)
    return item


def drafts(store: Store) -> list[Campaign]:
    """Campaigns that gold can be added to, newest first."""
    return [campaign for campaign in reversed(management.listed(store)) if campaign.state == "draft"]


def _expected_answers(form: Form, subject: ItemSubject, answers: Mapping[str, Any]) -> dict[str, Any]:
    """What is right, question by question, where given answers are; without those to which every answer would be."""
    questions = {question.id: question for question in form.build(subject_of(subject)).questions}
    expected = {name: _expected(questions.get(name), value) for name, value in answers.items()}
    return {name: value for name, value in expected.items() if value is not None}


def _given(
    form: Form, subject: ItemSubject, source: str, answers: Sequence[_Statement], verdicts: Sequence[Adjudication]
) -> dict[str, Any]:
    questionnaire = form.build(subject_of(subject))
    if source.startswith(PERSON):
        own = [answer.answers for answer in answers if answer.person == source.removeprefix(PERSON)]
        return _agreed(questionnaire, own[-1:])
    counted = [answer.answers for answer in answers if answer.counts]
    if source == "unanimous":
        return _agreed(questionnaire, counted) if len(counted) >= FEWEST else {}
    right = [each for each in counted if _confirmed(form, subject, each, verdicts)]
    agreed = _agreed(questionnaire, right)
    others = [each for each in counted if each not in right]
    return {name: key for name, key in agreed.items() if not others or any(o.get(name) != right[0].get(name) for o in others)}


def _confirmed(form: Form, subject: ItemSubject, answers: Mapping[str, Any], verdicts: Sequence[Adjudication]) -> bool:
    """Whether these answers say what every verdict says, as far as they say something of it; and of one at least."""
    labels = {(judgement.aspect, judgement.target): judgement.label for judgement in form.derive(subject_of(subject), answers)}
    pairs = [(labels[unit], verdict.verdict) for verdict in verdicts if (unit := (verdict.aspect, verdict.target)) in labels]
    return bool(pairs) and all(label == verdict for label, verdict in pairs)


def _agreed(questionnaire: Questionnaire, answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all of these say, question by question."""
    if not answers:
        return {}
    first = answers[0]
    blanks = [blank.id for blank in questionnaire.blanks if all(answer.get(blank.id) == YES for answer in answers)]
    if blanks:
        return dict.fromkeys(blanks, YES)
    visible_questions = [set(visible(questionnaire, answer)) for answer in answers]
    agreed = {}
    for question in questionnaire.questions:
        value = first.get(question.id)
        if (
            question.kind == "text"
            or is_blank(value)
            or value == CANNOT_TELL
            or any(question.id not in each for each in visible_questions)
        ):
            continue
        if all(_same(answer.get(question.id), value) for answer in answers):
            agreed[question.id] = value
    return agreed


def _same(value: Any, other: Any) -> bool:
    if isinstance(value, list) and isinstance(other, list):
        return sorted(map(str, value)) == sorted(map(str, other))
    return bool(value == other)


def _expected(question: Question | None, value: Any) -> Any:
    """What is right where this is; None: everything would be."""
    if question is None or question.kind != "likert":
        return value
    levels = [option.value for option in question.options]
    index = levels.index(value)
    near = levels[max(index - 1, 0) : index + 2]
    return {"any": near} if len(near) < len(levels) else None


def _example(form: Form, subject: ItemSubject, answers: Mapping[str, Any]) -> str:
    """A picture with its right answers, as Markdown."""
    questionnaire = form.build(subject_of(subject))
    caption = f"*{subject.text}*\n\n" if questionnaire.shows_prompt and subject.text else ""
    return f"![Example](item:{subject.item_id})\n\n{caption}" + "\n".join(_lines(questionnaire, answers))


def _lines(questionnaire: Questionnaire, answers: Mapping[str, Any]) -> Iterator[str]:
    for blank in questionnaire.blanks:
        if blank.id in answers:
            yield f"- **{blank.label}**"
    for question in questionnaire.questions:
        if question.id in answers:
            value = answers[question.id]
            labels = {option.value: option.label for option in question.options}
            joined = ", ".join(str(labels.get(option, option)) for option in (value if isinstance(value, list) else [value]))
            yield f"- {question.text} **{joined}**"

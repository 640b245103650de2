"""Judging: the rules that turn a stored source (an answer, or what a scorer saw) into judgements; and all judgements remade."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from agreement import Scale
from annotation.questionnaires import registry as questionnaires
from annotation.questionnaires.form import Form, FormItem
from concord.common.context import Context
from data.aspects import CANNOT_TELL, NO, YES, YES_NO_ASPECTS
from data.campaigns.settings import DEFAULT, Campaign
from data.files import quoted
from data.jobs.runs import Observation
from data.records import Annotation, Evidence, Judgement
from data.spec import HasSpec
from data.store.judgements import recording
from data.store.judgements.recording import JudgedSource
from scorers import registry
from scorers.base import Scorer

DIRECT = "direct"
"""The questionnaire of imported ratings: the answer is the judgement, or several as they were exported."""
_DIRECT_RULE = "direct-1"
_JUDGEMENTS = "judgements"
"""The answer's key where it holds judgements as they were exported, with the rule that made them (``rule``)."""

_YES_NO_WORDS = {"yes": 1.0, "y": 1.0, "true": 1.0, "no": 0.0, "n": 0.0, "false": 0.0}


def direct(aspect: str, label: str | None, value: float | None, target: str | None = None) -> dict[str, Any]:
    """An imported rating as an answer, or as a scorer's evidence."""
    return {"aspect": aspect, "target": target, "label": label, "value": value}


def converter(scale: Scale, aspect: str) -> Callable[[str], tuple[str | None, float | None]]:
    """How a rating's text is read: as (label, number), or a ``ValueError`` that says what was expected."""

    def convert(text: str) -> tuple[str | None, float | None]:
        if aspect not in YES_NO_ASPECTS:
            value = scale.read(text)
            return value.label, value.number
        # people and scorers say yes in many ways, and must meet
        number = yes_no(text) if scale.kind == "nominal" else scale.read(text).number
        if number not in (0.0, 1.0):
            raise ValueError(f"'{aspect}' is yes or no (or y/n, true/false, 1/0), got {quoted(text)}")
        return (YES if number else NO), number

    return convert


def yes_no(text: str) -> float | None:
    """1 for a yes, 0 for a no, as people and programs write them (``Yes``, ``y``, ``TRUE``, ``1.0``); None for others."""
    word = text.strip().casefold()
    if word in _YES_NO_WORDS:
        return _YES_NO_WORDS[word]
    try:
        number = float(word)
    except ValueError:
        return None
    return number if number in (0.0, 1.0) else None


def exported(rule: str, judgements: Sequence[Judgement]) -> dict[str, Any]:
    """Judgements that come without what they were made from, as an answer or as evidence."""
    rows = [{name: value for name, value in asdict(judgement).items() if value is not None} for judgement in judgements]
    return {"rule": rule, _JUDGEMENTS: rows}


def rate(payload: Mapping[str, Any]) -> tuple[str, tuple[Judgement, ...]]:
    """The rule version and the judgement of an answer, or of evidence, that is a rating, or judgements as exported.

    Raises:
        ValueError: it is neither.
    """
    if _JUDGEMENTS not in payload:
        return _DIRECT_RULE, (_rating(payload),)
    try:
        judgements = tuple(Judgement(**{"label": None, "value": None, **judgement}) for judgement in payload[_JUDGEMENTS])
        return str(payload["rule"]), judgements
    except (KeyError, TypeError) as error:
        raise ValueError(f"these are no exported judgements: {error}") from error


def _rating(payload: Mapping[str, Any]) -> Judgement:
    """The judgement that an imported rating is: aspect, target, label and value as they came."""
    aspect, target, label, value = (payload.get(name) for name in ("aspect", "target", "label", "value"))
    if not isinstance(aspect, str) or not aspect:
        raise ValueError(f"a direct answer needs an 'aspect', got {aspect!r}")
    if label == CANNOT_TELL:
        return Judgement(aspect, None, None, target, CANNOT_TELL)
    number = None if value is None else float(value)
    return Judgement(aspect, None if label is None else str(label), number, target)


def rating_answer(key: str, item_id: str, rater_id: str, rating: Mapping[str, Any], raw: Any = None) -> Annotation:
    """A person's answer that is a rating, with its judgement."""
    rule, judgements = rate(rating)
    return Annotation(key, item_id, rater_id, DIRECT, rating, judgements, rule, raw=raw)


def rating_evidence(key: str, item_id: str, rater_id: str, rating: Mapping[str, Any]) -> Evidence:
    """A scorer's evidence that is a rating, with its judgement."""
    rule, judgements = rate(rating)
    return Evidence(key, item_id, rater_id, rating, judgements, rule)


@lru_cache(maxsize=256)
def form_of(questionnaire: str, definition: str | None = None) -> Form:
    """The questionnaire of this name; a user's own one by its ``definition``.

    Raises:
        ValueError: there is none.
    """
    return questionnaires.get(questionnaire, definition)


def form_about(campaign: Campaign, spec: Mapping[str, Any], answered: str | None = None) -> Form:
    """The questionnaire that a campaign asks about a prompt with this spec.

    The default campaign has no questionnaire that somebody chose: without a spec it asks whether the image shows the prompt. An
    answer is revised in the questionnaire in which it was ``answered``, and everybody may want the quick one.

    Raises:
        ValueError: there is none.
    """
    if campaign.campaign_id != DEFAULT:
        return form_of(campaign.questionnaire, campaign.definition)
    if answered in questionnaires.FORMS:
        return form_of(answered)
    return form_of(campaign.questionnaire if spec else questionnaires.YES_NO.name)


def rule_version_of(scorer: Scorer) -> str:
    """The rule version of a scorer's judgements."""
    return f"{scorer.name}-{scorer.version}"


def judge(scorer: Scorer, item: HasSpec, seen: Observation, settings: Mapping[str, Any]) -> tuple[Judgement, ...]:
    """What follows from what a scorer saw; nothing, where it saw nothing."""
    return () if seen.failed is not None else scorer.judge(item.demands, seen, settings).judgements


def derive_source(source: JudgedSource) -> tuple[str, Sequence[Judgement]]:
    """Return the rule version and the judgements of a stored source; what a run saw is judged by its scorer.

    Raises:
        ValueError: there is no such scorer or questionnaire any more.
    """
    if source.scorer is not None:
        scorer = registry.get(source.scorer)
        seen = Observation(source.item_id, source.payload or {}, source.detections)
        return rule_version_of(scorer), judge(scorer, FormItem("", source.spec or {}), seen, source.settings or {})
    if source.questionnaire in (None, DIRECT):
        return rate((source.payload if source.questionnaire is None else source.answers) or {})
    form, members = form_of(source.questionnaire, source.definition), source.members or (source.item_id,)
    order = tuple((source.raw or {}).get("order", ()))
    item = FormItem("", source.spec or {}, len(members), source.questions, source.generators, order, members)
    return form.rule_version, form.derive(item, source.answers or {})


def rebuild(context: Context) -> None:
    count = recording.rebuild(context.store, derive_source)
    context.say(f"{count} judgements remade from their sources")

"""Drafts of campaigns in a form of several steps: read, checked field by field, saved after each step, and started."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from annotation.questionnaires import geneval_authors
from annotation.questionnaires.form import Form
from annotation.questionnaires.geneval_template import parse_template
from concord.campaigns import gold, planning
from concord.campaigns.changing import CODES
from concord.campaigns.planning import CampaignPlan
from concord.campaigns.spec import CampaignSpec, campaign_spec
from concord.common import wording
from data.campaigns.items import CampaignItem
from data.campaigns.settings import Campaign, id_of_title
from data.files import InputError
from data.refusals import CampaignRefused
from data.requests import RequestField, fields_of
from data.selection import Selection
from data.store.browse import scopes
from data.store.campaigns import drafts, management
from data.store.core.store import Store

FIELDS: Final[Mapping[str, RequestField]] = {each.key: each for each in fields_of(CampaignSpec)}
"""The fields of a campaign, by their names in files."""
OWN: Final = "own"
"""The questionnaire that a form calls one's own: its YAML is the `definition`."""
PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "Pilot": {"n": 30, "overlap": 3, "order": "shared", "limit": None, "lease_minutes": 30, "recollect": False},
    "Crowd": {
        "n": None,
        "overlap": 3,
        "order": "random",
        "limit": 60,
        "lease_minutes": 30,
        "recollect": True,
        "check_every": 5,
    },
    "Lab": {"n": None, "overlap": 2, "order": "shared", "limit": None, "lease_minutes": 240, "recollect": False},
}
"""Usual values of three kinds of study. Crowd also gets a code for each way to leave."""
PRESET_WORDS: Final[Mapping[str, str]] = {
    "Pilot": "30 images, 3 people, all in one order",
    "Crowd": "60 images each, one in 5 a check, images of paused people asked again, codes",
    "Lab": "2 people, long reservations",
}
_ORIGIN: Final = "the form"
_UNNAMED: Final = "unnamed"
MOST_CHARACTERS: Final = 200_000
"""So long a text of a form may be: a file with known answers, a questionnaire."""


class DraftRefused(ValueError):
    """A draft cannot be as it is asked for.

    Attributes:
        problems: a sentence by the field's name in files; under the empty name what no field alone is at fault for.
    """

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(" ".join(problems.values()))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class DraftCheck:
    """What a form asks for.

    Attributes:
        plan: what would be made; None where it cannot be.
        problems: as of `DraftRefused`.
        notes: sentences about what is still to be chosen before the start.
    """

    plan: CampaignPlan | None
    problems: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImageChoice:
    """A suite, task or generator that images can be chosen by, and how many images it has."""

    value: str
    title: str
    images: int


def image_choices(store: Store, values: Mapping[str, Any]) -> dict[str, tuple[ImageChoice, ...]]:
    """Return what images can be chosen by, by field; tasks and generators are those of the chosen suites."""
    suites = Selection(suite=tuple(values.get("suite") or ()))
    selections = {"suite": Selection(), "task": suites, "generator": suites}
    return {
        name: tuple(
            ImageChoice(value, wording.task(value) if name == "task" else value, n)
            for value, n in scopes.images_by(store, name, selection).items()
        )
        for name, selection in selections.items()
    }


@dataclass(frozen=True, slots=True)
class GoldChoice:
    """Where right answers can come from in a draft's questionnaire.

    Attributes:
        sources: in words, by the name of each; ``images``: how many images each has.
        why_not: sentences about what is missing for the sources that there are not.
    """

    sources: Mapping[str, str]
    images: Mapping[str, int]
    why_not: tuple[str, ...]


def gold_choice(store: Store, values: Mapping[str, Any]) -> GoldChoice:
    """Return where right answers can come from in the questionnaire that a draft has, and why not from elsewhere."""
    bare = {name: value for name, value in values.items() if name in _WITHOUT_CHECKS}
    checked = check_draft(store, bare)
    if checked.plan is None:
        return GoldChoice({}, {}, ("Where right answers can come from is known once images and questions are chosen.",))
    form = checked.plan.form
    found = gold.sources(store, form)
    words = {"verdicts": "verdicts", "unanimous": f"{gold.FEWEST} people or more who all agree"}
    sources = {
        name: f"{words.get(name) or 'answers of ' + name.removeprefix(gold.PERSON)}: {wording.count(n, 'image')}"
        for name, n in found.images.items()
    }
    return GoldChoice(sources, found.images, tuple(_why_no_gold(form.name, found)))


_WITHOUT_CHECKS: Final = ("suite", "task", "generator", "items", "also", "questionnaire", "definition", "template")
"""Fields that decide what is asked about which images."""


def _why_no_gold(form: str, found: gold.GoldSources) -> Iterator[str]:
    """Yield why there is no gold by agreement or verdicts."""
    if not found.answered:
        other = f" Other questions are answered about {wording.count(found.elsewhere, 'image')}." if found.elsewhere else ""
        yield f"Nobody has answered the questions “{form}” yet.{other} Label some images yourself, and your name stands here."
        return
    if "unanimous" not in found.images:
        if found.most < gold.FEWEST:
            yield (
                f"No image by agreement: {gold.FEWEST} people must say the same, and no image has answers of more than"
                f" {found.most:,} so far."
            )
        else:
            yield f"No image by agreement: no {gold.FEWEST} people say the same."
    if "verdicts" not in found.images:
        yield "No image by verdicts: none is decided yet (a campaign’s Disputes, or an image’s drawer)."


def preset(name: str) -> dict[str, Any]:
    """Return a preset's values; codes are drawn anew each time, as a code that was used elsewhere pays twice."""
    codes = CODES if name == "Crowd" else ()
    return dict(PRESETS[name]) | {code: secrets.token_hex(4).upper() for code in codes}


def entered(each: RequestField, value: Any) -> Any:
    """Return what a control of a form holds as the field's value; None if it is empty.

    Raises:
        DraftRefused: it is no value of the field.
    """
    if each.several:
        lines = value.splitlines() if isinstance(value, str) else value if isinstance(value, list) else ()
        return [text for line in lines if (text := str(line).strip())] or None
    if each.kind is bool:
        return value in (True, "true", "on")
    text = str(value if value is not None else "")
    if len(text) > MOST_CHARACTERS:
        raise DraftRefused({each.key: f"This has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read."})
    text = text.strip() if each.setting.lines == 1 else text
    if each.kind in (int, float) and text:
        return _number(each, text)
    return text or None


def _number(each: RequestField, text: str) -> int | float | None:
    """Return the number of a text; 0 stands for none where the field may be empty and is above 0."""
    try:
        number = float(text)
    except ValueError:
        raise DraftRefused({each.key: f"A number is expected, got {text[:40]!r}."}) from None
    if each.kind is int and number != int(number):
        raise DraftRefused({each.key: f"A whole number is expected, got {text[:40]}."})
    if each.optional and number == 0 and not each.setting.allows(0):
        return None
    return int(number) if each.kind is int else number


def merged(values: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with those of a form's controls in their place; an empty control takes its value away.

    Raises:
        DraftRefused: controls that hold no value of their field.
    """
    made, problems = dict(values), dict[str, str]()
    for name in given:
        if name not in FIELDS:
            continue
        try:
            made[name] = entered(FIELDS[name], given[name])
        except DraftRefused as error:
            problems |= error.problems
    if problems:
        raise DraftRefused(problems)
    if template := made.pop("template", None):
        made |= _authors_form(str(template))
    own = made.get("questionnaire") == OWN
    if not own and made.get("questionnaire") != geneval_authors.NAME and "questionnaire" in given:
        made["definition"] = None
    return {name: value for name, value in made.items() if value is not None}


def _authors_form(text: str) -> dict[str, str]:
    """Return the values of GenEval's questions in its authors' words, from the text of their form."""
    try:
        read = parse_template(text.encode(), Path("the file"))
    except InputError as error:
        raise DraftRefused({"template": wording.sentence(error.problems[0])}) from None
    return {"questionnaire": geneval_authors.NAME, "definition": read.template.to_definition()}


def draft_values(store: Store, campaign_id: str) -> dict[str, Any]:
    """Return what a draft asks for now, by name, with what was changed by itself since it was asked for.

    Raises:
        CampaignRefused: it is no draft, or nothing is known of how it was asked for.
    """
    campaign = management.get(store, campaign_id)
    if campaign is None or campaign.state != "draft":
        state = "gone" if campaign is None else campaign.state
        raise CampaignRefused(f"campaign {campaign_id!r} is {state}; only a draft is edited here: duplicate it instead")
    stored = drafts.request_of(store, campaign_id)
    if stored is None:
        raise CampaignRefused(f"draft {campaign_id!r} is of an older Concord: change its settings, or make a new one")
    return {name: value for name, value in {**stored.values, **stored.changed}.items() if value is not None and name in FIELDS}


def check_draft(store: Store, values: Mapping[str, Any], *, campaign_id: str = "", final: bool = False) -> DraftCheck:
    """Return what values ask for.

    Args:
        store: the open project.
        values: by name, as `merged` gives them.
        campaign_id: the draft that is edited; empty for a new one.
        final: whether all must be there; else checks that are still to come are only noted.
    """
    notes: list[str] = []
    try:
        spec = _spec(values, campaign_id)
        if not final:
            spec, notes = _without_checks_to_come(spec)
        added = _gold_by_verdicts(store, campaign_id) if campaign_id else ()
        plan = planning.plan_campaign(store, spec if spec.campaign_id else replace(spec, campaign_id=_UNNAMED), added)
        if not campaign_id and spec.campaign_id and management.get(store, spec.campaign_id) is not None:
            raise CampaignRefused(f"there is a campaign {spec.campaign_id!r} already; give this one another id", "id")
    except (ValueError, OSError) as error:
        return DraftCheck(None, _problems(error, values))
    return DraftCheck(plan, {}, tuple(notes))


def save_draft(store: Store, values: Mapping[str, Any], campaign_id: str = "") -> Campaign:
    """Make a draft, or make one anew by other values; a new one without an id gets one from its title.

    Raises:
        DraftRefused: it cannot be.
    """
    title = str(values.get("title") or "")
    if not title:
        raise DraftRefused({"title": "Give it a title: people read it above the form."})
    if not campaign_id:
        if not values.get("id") and (own_id := id_of_title(title)):
            values = {**values, "id": management.free_id(store, own_id)}
        if not values.get("id"):
            raise DraftRefused({"id": "Write an id of letters and digits: the title has none to make one from."})
    checked = check_draft(store, values, campaign_id=campaign_id)
    if checked.plan is None:
        raise DraftRefused(checked.problems)
    spec, _ = _without_checks_to_come(_spec(values, campaign_id))
    try:
        if campaign_id:
            planning.remake_campaign(store, spec, values, _gold_by_verdicts(store, campaign_id))
        else:
            campaign_id = planning.make_campaign(store, spec, values).campaign.campaign_id
    except CampaignRefused as error:
        raise DraftRefused({error.field: wording.sentence(error)}) from error
    made = management.get(store, campaign_id)
    assert made is not None
    return made


def start_draft(store: Store, campaign_id: str) -> Campaign:
    """Start a draft: people are offered its images from now on.

    Raises:
        DraftRefused: something that it asks for is missing.
        CampaignRefused: it is no draft.
    """
    campaign = management.get(store, campaign_id)
    if campaign is not None and drafts.request_of(store, campaign_id) is not None and campaign.state == "draft":
        values = draft_values(store, campaign_id)
        checked = check_draft(store, values, campaign_id=campaign_id, final=True)
        if checked.plan is None:
            raise DraftRefused(checked.problems)
    return management.move(store, campaign_id, "running")


def _spec(values: Mapping[str, Any], campaign_id: str = "") -> CampaignSpec:
    """Return the campaign that values ask for.

    Raises:
        ValueError: a value that cannot be.
    """
    wanted = {name: value for name, value in values.items() if value not in (None, "", [])}
    if campaign_id:
        wanted["id"] = campaign_id
    if wanted.get("questionnaire") == OWN:
        if not str(wanted.get("definition", "")).strip():
            raise DraftRefused({"definition": "Write the questionnaire’s YAML; docs/questionnaires.md says how."})
        del wanted["questionnaire"]
    return campaign_spec(wanted, _ORIGIN)


def _without_checks_to_come(spec: CampaignSpec) -> tuple[CampaignSpec, list[str]]:
    """Return a campaign without checks that nothing is known for yet, and what is to be chosen for them."""
    settings, notes = spec.settings, []
    if not spec.gold_from and not spec.known:
        if settings.check_every is not None:
            settings = replace(settings, check_every=None)
            notes.append("One image in so many is to be a check: say in Checks and pay where right answers come from.")
        if settings.pass_mark is not None:
            settings = replace(settings, pass_mark=None)
            notes.append("The pass mark is for training: say in Checks and pay where right answers come from.")
    return replace(spec, settings=settings), notes


def _gold_by_verdicts(store: Store, campaign_id: str) -> Sequence[CampaignItem]:
    """Return the gold that verdicts gave a draft by themselves: what its own request does not ask for."""
    stored = [item for item in management.items(store, campaign_id) if item.role == "gold"]
    asked = drafts.request_of(store, campaign_id) if stored else None
    if asked is None:
        return ()
    try:
        spec, _ = _without_checks_to_come(_spec(asked.values, campaign_id))
        planned = {item.item_id for item in planning.plan_campaign(store, spec).items if item.role == "gold"}
    except ValueError:
        # what the draft was made from is gone: its gold stays
        planned = set()
    return [item for item in stored if item.item_id not in planned]


def _problems(error: Exception, values: Mapping[str, Any]) -> dict[str, str]:
    """Return what is wrong by field: the first of each."""
    if isinstance(error, DraftRefused):
        return dict(error.problems)
    if isinstance(error, CampaignRefused):
        return {error.field: wording.sentence(_in_labels(str(error)))}
    problems: dict[str, str] = {}
    for problem in error.problems if isinstance(error, InputError) else (str(error),):
        message = problem.removeprefix(f"{_ORIGIN}: ")
        first = message.replace(":", " ").split(" ", 1)[0]
        named = first if first in FIELDS else "id" if first == "campaign_id" else ""
        if not named and not problem.startswith(f"{_ORIGIN}: "):
            named = _by_source(error, values)
        text = message.removeprefix(f"{first}: ")
        if first in FIELDS and text.startswith(f"{first} "):
            text = f"“{FIELDS[named].setting.label}”" + text.removeprefix(first)
        problems.setdefault(named, wording.sentence(_in_labels(text)))
    return problems


def _in_labels(text: str) -> str:
    """Return a message with fields called as in the form; names of one plain word stay."""
    for name, each in FIELDS.items():
        if "_" in name and each.setting.label:
            text = re.sub(rf"\b{name}\b", f"“{each.setting.label}”", text)
    return text


def _by_source(error: Exception, values: Mapping[str, Any]) -> str:
    """Return the field of an error that names none: files with known answers and questionnaires have mistakes of their own."""
    if values.get("definition"):
        try:
            planning.form_of(_spec(values))
        except ValueError:
            return "definition"
    return "known" if isinstance(error, InputError) and values.get("known") else "questionnaire"


def draft_form(values: Mapping[str, Any], checked: DraftCheck) -> Form | None:
    """Return the questionnaire of a draft; None where it cannot be read."""
    if checked.plan is not None:
        return checked.plan.form
    try:
        return planning.form_of(_spec(values))
    except ValueError:
        return None


_STEPS: Final = {
    "images": ("title", "id", "suite", "task", "generator", "n", "draw", "overlap", "order", "items", "also", "seed"),
    "questions": ("questionnaire", "definition", "template"),
}


def step_of(name: str) -> str:
    """Return the step of the form that a field is in."""
    if name in FIELDS and FIELDS[name].setting.section == "texts":
        return "questions"
    return next((step for step, names in _STEPS.items() if name in names), "checks")

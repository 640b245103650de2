"""A campaign as it is asked for: by a command's options, a file or a form.

Nothing heavy is imported, as it makes the command's options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from data.campaigns.settings import DrawMethod, Seed, Settings, Title, check_campaign_id
from data.requests import Request, Setting, fields_of, read_request


def _check_id(text: str) -> None:
    # a new campaign may get its id later
    if text:
        check_campaign_id(text)


@dataclass(frozen=True, slots=True)
class CampaignSpec(Request):
    """A campaign as it is asked for."""

    campaign_id: Annotated[
        str,
        Setting(
            "Lower-case letters, digits, - and _; 64 characters at most.",
            argument=True,
            key="id",
            metavar="ID",
            check=_check_id,
            label="Id",
            hint="empty: from the title",
        ),
    ] = ""
    title: Title = ""
    questionnaire: Annotated[
        str,
        Setting(
            "geneval, tifa_likert, tifa_vqa, visor, ab or yes_no; default: geneval, or yes_no if no prompt has a spec.",
            label="Questionnaire",
            hint="what is asked",
        ),
    ] = ""
    definition: Annotated[
        str | None,
        Setting(
            "YAML file with your own questionnaire instead.",
            file="questionnaire_file",
            label="The questionnaire’s YAML",
            lines=8,
        ),
    ] = None
    template: Annotated[
        str, Setting("GenEval's published form (mturk_hit_template.html): ask its questions in its authors' words.")
    ] = ""
    suite: Annotated[
        tuple[str, ...], Setting("Use images of this suite. Repeatable.", label="Suite", hint="none chosen: all")
    ] = ()
    task: Annotated[tuple[str, ...], Setting("Use only this task. Repeatable.", label="Task", hint="none chosen: all")] = ()
    generator: Annotated[
        tuple[str, ...],
        Setting(
            "Use only images of this generator; pairs need two. Repeatable.",
            details="Of a pair the first one named comes first.",
            label="Generator",
            hint="none chosen: all",
        ),
    ] = ()
    items: Annotated[
        tuple[str, ...],
        Setting(
            "Use this item instead, by id. Repeatable.",
            details="They are marked as selected by hand.",
            flags="--item",
            label="Or only these images, one id a line",
            hint="Filters are ignored then.",
            lines=2,
        ),
    ] = ()
    n: Annotated[
        int | None,
        Setting(
            "Number of items, sampled at random; default: all.",
            minimum=1,
            flags="--n",
            label="How many",
            hint="drawn by chance; 0: all",
        ),
    ] = None
    draw: Annotated[
        DrawMethod,
        Setting(
            "How --n items are drawn; random: all alike; weighted: more of those where scorers are likely wrong, for `estimate`"
            " only.",
            label="Sampling",
            hint="likely errors first: for sharpened means alone",
            titles={"random": "random", "weighted": "likely errors first"},
        ),
    ] = "random"
    also: Annotated[
        tuple[str, ...],
        Setting(
            "Add this item by hand. Repeatable.",
            details="Statistics use only the sampled items, where there are any.",
            label="Images added by hand, one id a line",
            hint="If some images are drawn by chance, statistics leave out those added by hand.",
            lines=2,
        ),
    ] = ()
    known: Annotated[
        str,
        Setting(
            "JSON or CSV of items with known answers: item, role (gold, attention, training), answers.",
            details="[Format](campaigns.md#checks-and-training).",
            file="known_file",
            flags="--known",
            label="Images with known answers",
        ),
    ] = ""
    gold_from: Annotated[
        str,
        Setting(
            "Make gold without a file: of 'verdicts', of 'unanimous' answers, or of those of 'person NAME'.",
            label="Right answers from",
        ),
    ] = ""
    gold_n: Annotated[
        int, Setting("Gold items from there.", minimum=0, label="Gold images", hint="mixed in among the others")
    ] = 20
    training_n: Annotated[int, Setting("Training items from there.", minimum=0, label="Training images", hint="come first")] = 0
    examples_n: Annotated[
        int | None,
        Setting(
            "Pictures with correct answers before the instructions; default: 3, if that many more can be had.",
            minimum=0,
            label="Examples",
            hint="pictures with right answers before the instructions; usually 3",
        ),
    ] = None
    overlap: Annotated[
        int | None,
        Setting(
            "Annotators per item; default: 3, of tifa_vqa 2 (and a third where they differ).",
            minimum=1,
            label="People for each",
            hint="valid answers wanted; 0: as the questionnaire usually asks",
        ),
    ] = None
    seed: Seed = 0
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        Request.__post_init__(self)
        if self.draw == "weighted" and (self.n is None or self.items):
            raise ValueError("draw weighted needs n, how many, and draws from images that filters choose, not from a list")


def campaign_spec(values: Mapping[str, Any], origin: str = "the campaign") -> CampaignSpec:
    """Return the campaign that values by name ask for, as a file or a form has them; None is "not said".

    Raises:
        InputError: names that there are not, and values that are not allowed; the first of them at once.
    """
    return read_request(CampaignSpec, values, origin, "a campaign")


def request_values(spec: CampaignSpec) -> dict[str, Any]:
    """Return what a campaign asks for by name, as a file has it; what is as usual is left out."""
    values: dict[str, Any] = {}
    for each in fields_of(CampaignSpec):
        holder = spec if each.name in spec.__dataclass_fields__ else spec.settings
        if (value := getattr(holder, each.name)) != each.default:
            values[each.key] = list(value) if isinstance(value, tuple) else value
    return values

"""Settings of campaigns and of scorers: names, defaults and profiles from the code, meanings from its docstrings and here."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, Final

from concord.campaigns.campaign_spec import OWN_FILES, CampaignSpec
from data.campaign import RECRUITMENT_FIELDS, Settings
from docs.making.blocks import code, table
from scorers import registry
from scorers.base import Scorer

CAMPAIGN: Final[dict[str, str]] = {
    "id": "Lower-case letters, digits, - and _.",
    "title": "What people read above the form; the id, if not given.",
    "questionnaire": "A built-in one: `geneval`, `tifa_likert`, `tifa_vqa`, `visor`, `ab`.",
    "definition": "YAML text of a questionnaire of your own instead; or `questionnaire_file`, which names its file.",
    "suite": "Draw from the images of these suites.",
    "task": "... of these tasks.",
    "generator": "... by these models; of an A/B campaign the two.",
    "items": "These items instead, by id: they count as picked by hand.",
    "n": "So many, drawn by chance; all, if not given.",
    "also": "Items added by hand; statistics count the drawn ones, where there are any.",
    "known": "Text of a file of items with known answers; or `known_file`, which names it"
    " ([format](campaigns.md#checks-and-training)).",
    "overlap": "How many people answer each item.",
    "seed": "Of all that is left to chance.",
    "instructions": "Markdown, shown before the first item and with `?`.",
    "consent": "Markdown; people agree before the first item, and again when it changes.",
    "content_warning": "Markdown, shown before the first item.",
}
"""What no docstring says of a campaign's settings."""
SCORER: Final[dict[str, str]] = {
    "answer": "Whose probability is the score.",
    "answering": "`choices`: how likely each choice is; `free`: the model says what it will ([how](models.md)).",
    "background": "What a crop shows around the object's mask: a colour, or `original`.",
    "batch": "Rows that the network sees at once: speed and memory, not numbers.",
    "beams": "Of the search for the caption.",
    "captioner": "The model that writes the caption: a hub id or a folder.",
    "clip": "The image-text model: ARCHITECTURE/TAG of open_clip, or a folder; for `geneval` it tells the colours.",
    "counting_threshold": "The same as `threshold` for all objects of a counting prompt.",
    "crop": "1: colours are told from the object's box alone; 0: from the whole image.",
    "detector": "The detector: a hub id, a folder, or a YOLO checkpoint ([which ones](models.md)).",
    "detector_overlap": "YOLO's own suppression within a class (IoU).",
    "detector_side": "Pixels to which an image is resized for the detector.",
    "every": "How often `stop` tests, in draws.",
    "flip": "`relation`, `color` or `count`: the texts given are flipped so, for the flip test; its numbers are no scores.",
    "keep": "Detections up to this confidence are not stored; no threshold can go below it.",
    "aggregate": "`jensen` (mean of log p over trials) or `lse` (log of the mean p).",
    "last_step": "What stands for the last step's variance of 0: `previous`, `large`, or `drop`.",
    "longest": "Tokens of the caption, at most.",
    "max_objects": "At most so many of a class count, the most confident.",
    "max_overlap": "IoU from which the less confident of two of a class is dropped (1: never).",
    "metric": "Nearness of caption and prompt: `bleu4`, `rouge_l` or `meteor`.",
    "model": "The diffusion model: a name of `generate`, a hub id, or a folder.",
    "position_threshold": "Share of both objects' sizes by which they must be apart.",
    "precision": "Of the weights.",
    "prefix": "What stands before each text.",
    "rotations": "Of models that answer by letters: orders of the choices that are averaged (0: as many as choices).",
    "rule": "For positions: `official` (the published code) or `paper` (its formula).",
    "seed": "Of the noise.",
    "sentences": "The model that matches free answers with choices.",
    "stages": "Captions given up early: `10:2,50:1` goes on with the best two after 10 draws, with one after 50.",
    "steps": "Steps of denoising (T).",
    "stop": "Gives up a caption whose errors are larger in a paired t-test at this level (0: never).",
    "template": "The question, with `{text}` for the prompt.",
    "threshold": "Objects count above this confidence.",
    "trials": "Trials (N): the first ones are the same for any number.",
    "variant": "What is made of the cosine: `cos`, `100*cos`, `100*max(cos,0)` or `2.5*max(cos,0)`.",
    "vocabulary": "What a detector that looks for names is given: the prompt's objects (`asked`), or all of COCO's (`coco`).",
    "vqa": "The model that answers questions: a hub id or a folder.",
    "weighting": "`uniform` (all steps alike) or `bound` (as the evidence bound weighs them).",
}
"""What each setting of scorers means, by name; one name means one thing, whichever scorer has it."""


def of_campaigns() -> dict[str, tuple[Any, str]]:
    """Each setting of a campaign with its default and what it means (empty: nobody has said)."""
    doc = _attributes(Settings)
    found: dict[str, tuple[Any, str]] = {}
    for kind in (CampaignSpec, Settings):
        for one in fields(kind):
            if one.name != "settings":
                name = "id" if one.name == "campaign_id" else one.name
                default = None if one.default is MISSING else one.default
                found[name] = (default, CAMPAIGN.get(name) or doc.get(name, ""))
    return found


def of_scorer(scorer: Scorer) -> dict[str, dict[str, Any]]:
    """Each setting by name, with its value by profile; ``''`` in the profile of options."""
    found: dict[str, dict[str, Any]] = {}
    for profile, values in {"": scorer.options, **scorer.profiles}.items():
        for key, value in values.items():
            found.setdefault(key, {})[profile] = value
    return found


def undocumented() -> list[str]:
    """Settings of which nobody has said what they mean."""
    missing = [name for name, (_, what) in of_campaigns().items() if not what]
    missing += [name for name in OWN_FILES if not any(name in what for _, what in of_campaigns().values())]
    for name in registry.NAMES:
        missing += [f"{name}: {key}" for key in of_scorer(registry.get(name)) if not SCORER.get(key)]
    return missing


def campaigns() -> str:
    """Campaigns' settings as Markdown."""
    rows = ((code(name), _as_code(default), what) for name, (default, what) in of_campaigns().items())
    return table(("setting", "default", "what it means"), rows)


def recruitment() -> str:
    """What is asked once of a campaign, for reports."""
    return table(
        ("field", "what it should say"), ((code(name), f"{one.title}. {one.asks}") for name, one in RECRUITMENT_FIELDS.items())
    )


def scorers() -> str:
    """Scorers with their profiles and settings as Markdown."""
    return "\n\n".join(_scorer(registry.get(name)) for name in registry.NAMES)


def _scorer(scorer: Scorer) -> str:
    scales = ", ".join(f"{code(aspect)} ({scale})" for aspect, scale in scorer.scales.items())
    rows = [
        (
            code(key) + (" (judging)" if key in scorer.judging else ""),
            "; ".join(_values(values)),
            scorer.knobs[key].help if key in scorer.knobs and key not in SCORER else SCORER.get(key, ""),
        )
        for key, values in of_scorer(scorer).items()
    ]
    head = f"### {scorer.name}\n\n{registry.SCORERS[scorer.name]} Version {scorer.version}; judges {scales}."
    return f"{head}\n\n{table(('setting', 'by default, by profile', 'what it means'), rows)}"


def _values(values: Mapping[str, Any]) -> list[str]:
    """Profiles that have the same value stand together."""
    by_value: dict[str, list[str]] = {}
    for profile, value in values.items():
        by_value.setdefault(_as_code(value), []).append(profile or "default")
    if len(by_value) == 1:
        return [next(iter(by_value))]
    return [f"{value} ({', '.join(profiles)})" for value, profiles in by_value.items()]


def _as_code(value: Any) -> str:
    if value is None or value in ("", ()):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return code(value)


def _attributes(kind: type) -> dict[str, str]:
    """What a docstring's list of attributes says of each."""
    listed = (inspect.getdoc(kind) or "").partition("Attributes:\n")[2]
    entries = re.split(r"^    (?=\w+(?:, \w+)*:)", listed, flags=re.MULTILINE)[1:]
    found: dict[str, str] = {}
    for entry in entries:
        names, _, what = entry.partition(":")
        text = " ".join(what.replace("``", "`").split())
        found |= {name.strip(): text[:1].upper() + text[1:] for name in names.split(",")}
    return found

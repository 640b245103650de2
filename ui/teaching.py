"""What an empty page says to do next: commands to copy, for the project that is open."""

from __future__ import annotations

import shlex
from pathlib import Path

from data.store.store import Store

# where a command works when it is told no --project; app.py says the same
DEFAULT_PROJECT = Path(__file__).resolve().parents[1] / "projects" / "playground"

IMAGES = (
    "import images FOLDER --layout csv --generator NAME",
    "import images FOLDER --layout geneval --generator NAME",
    "import images FOLDER --layout visor --generator NAME",
)
STUDIES = (
    "import study geneval --metadata evaluation_metadata.jsonl sdv2=annotations_sdv2.csv",
    "import study tifa human_annotations_with_scores.json",
)
RATINGS = ("import ratings ratings.csv --item image --rater rater --value rating --aspect correct --scale nominal",)
PLAYGROUND = ("import playground",)
SCORE = ("score geneval",)
ANSWERING = ("score tifa",)
OTHER_ANSWERING = ("score tifa --profile blip",)
ASKING_PEOPLE = (
    "campaigns create questions --questionnaire tifa_vqa --overlap 2",
    "campaigns start questions",
)
MATCHING = ("import itm --playground", "score clipmatch --suite itm-playground", "score elbo --suite itm-playground")
MATCHING_FILES = (
    "import itm rows.jsonl",
    "import itm examples.jsonl --images images",
    "import itm visual_genome_attribution.json --images images",
    "import itm --tifa text_inputs.json question_answers.json --images val2014",
)
PAIRS = (
    "campaigns create duel --questionnaire ab --generator playground-early --generator playground-late",
    "campaigns start duel",
)
PUBLISHED_VOTES = ("import study selfeval",)
QUESTIONS = ("import questions --from-specs", "import questions questions.json")
COOCCURRENCE = ("import cooccurrence instances_train2017.json",)
PROMPTS = ("prompts geneval -o prompts.jsonl", "prompts sr2d -o prompts.jsonl")


def commands(store: Store, *groups: tuple[str, ...]) -> list[str]:
    """Whole command lines."""
    project = "" if store.project == DEFAULT_PROJECT else f" --project {shlex.quote(str(store.project))}"
    # writing prompts to a file touches no project
    return [f"uv run app.py {line}{'' if line in PROMPTS else project}" for group in groups for line in group]


def block(store: Store, *groups: tuple[str, ...]) -> str:
    """The commands as a Markdown block; a folder's name cannot end it."""
    lines = [line.replace("\n", " ") for line in commands(store, *groups)]
    return "\n".join(["`````", *lines, "`````"])

"""Next steps: what to do where a project has nothing yet, as commands to copy, for the project that is open."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from data.store.browse import contents
from data.store.core.store import Store

# where a command works when it is told no --project; app.py says the same
DEFAULT_PROJECT = Path(__file__).resolve().parents[2] / "projects" / "playground"

IMAGES = (
    "import images FOLDER --layout csv --generator NAME",
    "import images FOLDER --layout geneval --generator NAME",
    "import images FOLDER --layout visor --generator NAME",
)
STUDIES = (
    "import study geneval --metadata evaluation_metadata.jsonl sdv2=annotations_sdv2.csv",
    "import study tifa human_annotations_with_scores.json",
    "import study viescore viescore imagenhub",
)
RATINGS = ("import ratings ratings.csv --item image --rater rater --value rating --aspect correct --scale nominal",)
PLAYGROUND = ("import playground",)
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
_PLAYGROUND_PAIR = ("playground-early", "playground-late")
PUBLISHED_VOTES = ("import study selfeval",)
QUESTIONS = ("import questions --from-specs", "import questions questions.json")
COOCCURRENCE = ("import cooccurrence instances_train2017.json",)
PROMPTS = ("prompts geneval -o prompts.jsonl", "prompts sr2d -o prompts.jsonl")


def is_playground(suite: str) -> bool:
    """Whether a suite is the small drawn world's."""
    return suite.startswith(("playground", "itm-playground"))


def has_own_images(store: Store) -> bool:
    """Whether the project holds anything but the playground."""
    return not all(map(is_playground, contents.filter_choices(store).suite))


def score_command(store: Store, scorer: str) -> tuple[str, ...]:
    """Have a scorer look: at images of one's own with a profile for photographs, one whose models are here if there is any."""
    if not has_own_images(store):
        return (f"score {scorer}",)
    # what the machine has is asked by few pages only
    from concord.common.machine import missing_model
    from scorers import registry

    registered = registry.get(scorer)
    others = [name for name in registered.profiles if not name.startswith(registry.PLAYGROUND)]
    here = [name for name in others if missing_model(registered, registered.profiles[name]) is None]
    named = (here or others)[:1]
    return (f"score {scorer} --profile {named[0]}" if named else f"score {scorer}",)


def how_to_score(store: Store, scorer: str) -> str:
    """What to do where no scorer has looked yet, as Markdown."""
    if has_own_images(store):
        return f"Run one:\n\n{commands_block(store, score_command(store, scorer))}"
    lines = commands_block(store, score_command(store, scorer), PLAYGROUND)
    return f"Score your images, or fill the project with the playground:\n\n{lines}"


def pair_campaign(store: Store) -> tuple[str, ...]:
    """People choose between two generators."""
    first, other = (
        [*contents.filter_choices(store).generator, "NAME", "OTHER"][:2] if has_own_images(store) else _PLAYGROUND_PAIR
    )
    options = f"--generator {shlex.quote(first)} --generator {shlex.quote(other)}"
    return (f"campaigns create duel --questionnaire ab {options}", "campaigns start duel")


def is_unfit(rater: str, suite: str) -> bool:
    """Whether a scorer judges pictures that its models, the playground's, have never learned."""
    return not is_playground(suite) and re.search(r"-playground($|\[| #)", rater) is not None


def about_unfit(raters: Iterable[str], suite: str) -> str:
    """A sentence on those of these scorers that are unfit for a suite; empty: none is."""
    names = sorted({each for each in raters if is_unfit(each, suite)})
    if not names:
        return ""
    whose = "uses" if len(names) == 1 else "use"
    return f"{', '.join(names)} {whose} the playground’s models, which know its drawings alone: these scores mean little."


def command_lines(store: Store, *groups: tuple[str, ...]) -> list[str]:
    """Whole command lines."""
    project = "" if store.project == DEFAULT_PROJECT else f" --project {shlex.quote(str(store.project))}"
    # writing prompts to a file touches no project
    return [f"uv run app.py {line}{'' if line in PROMPTS else project}" for group in groups for line in group]


def commands_block(store: Store, *groups: tuple[str, ...]) -> str:
    """The commands as a Markdown block; a folder's name cannot end it."""
    lines = [line.replace("\n", " ") for line in command_lines(store, *groups)]
    return "\n".join(["`````", *lines, "`````"])

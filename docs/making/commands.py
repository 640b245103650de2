"""An example of every command, as it stands after ``uv run app.py``; a test has the app read each of them.

Every command with its options, from the same definitions as ``--help``.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import Any, Final, Literal, get_args, get_origin

from typer.main import get_command

from app import app
from docs.making import code, table
from ui.cli.options import FILTERS

EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "ablate": ("ablate elbo --trials 1,5 --steps 20,50 --seeds 0,1 --suite itm-playground --plot ablation.html",),
    "plan": (
        "plan --half-width 0.05 --ratings 1 --ratings 3",
        "plan --statistic fleiss_kappa --half-width 0.1",
    ),
    "rater-effects": ("rater-effects --suite geneval --aspect correct",),
    "agreement": (
        "agreement --suite geneval --aspect correct",
        "agreement --format json > agreement.json",
        "agreement --by certainty --compare --thresholds",
        "agreement --consensus majority --consensus mace",
    ),
    "alt-test": ("alt-test --aspect correct --epsilon 0.15",),
    "backup": ("backup", "backup -o /mnt/other-disk/concord", "backup --list"),
    "campaigns archive": ("campaigns archive cows",),
    "campaigns create": (
        "campaigns create cows --suite geneval --n 50 --overlap 3 --instructions 'Look closely.'",
        "campaigns create next --suite geneval --n 50 --draw weighted",
        "campaigns create duel --questionnaire ab --generator A --generator B",
        "campaigns create --from campaign.yaml --dry-run",
    ),
    "campaigns delete": ("campaigns delete cows",),
    "campaigns revoke-flagged": (
        "campaigns revoke-flagged cows",
        "campaigns revoke-flagged cows --yes --uncounted",
    ),
    "campaigns undo-revoke": ("campaigns undo-revoke cows",),
    "campaigns pay": ("campaigns pay cows", "campaigns pay cows --platform-file prolific.csv --bonuses"),
    "campaigns describe": (
        "campaigns describe cows",
        "campaigns describe cows --field recruitment='Two courses of our department.' --field pay_per_hour='12 EUR'",
    ),
    "campaigns list": ("campaigns list",),
    "campaigns settle": ("campaigns settle cows prolific-1a2b3c4d5e approve",),
    "campaigns show": ("campaigns show cows --format json",),
    "campaigns start": ("campaigns start cows",),
    "campaigns stop": ("campaigns stop cows",),
    "estimate": (
        "estimate --scorer tifa_mplug-large --aspect faithfulness",
        "estimate --label-sample 40 --target these",
        "estimate --method corrected --task counting",
        "estimate --against sdv2",
    ),
    "doctor": ("doctor", "doctor --only project --all --format json"),
    "export annotations": ("export annotations --people pseudonyms -o annotations.jsonl",),
    "export datasets": ("export datasets --suite mine -o dataset",),
    "export images": ("export images --suite geneval --generator sd15 -o images",),
    "export judgements": ("export judgements -o judgements.parquet",),
    "export manifest": ("export manifest geneval -o job/manifest.jsonl --with-images",),
    "export prompts": ("export prompts --suite mine -o prompts.jsonl",),
    "export questions": ("export questions --suite tifa -o questions.jsonl",),
    "export ratings": ("export ratings --suite geneval -o ratings.csv",),
    "export report": (
        "export report --suite geneval --aspect correct -o report.html",
        "export report --suite geneval --format md -o report.md",
    ),
    "export results geneval": ("export results geneval --rater geneval-playground -o results.jsonl",),
    "export results visor": ("export results visor --rater visor-playground --generator sd15 -o detections.json",),
    "export tables": ("export tables visor -o tables.tex", "export tables geneval --no-intervals -o tables.md"),
    "export snapshot": ("export snapshot -o snapshot.duckdb",),
    "flips": ("flips --kind relation",),
    "generate": (
        "generate playground --generator playground-late",
        "generate mine --generator sdxl --device cuda --steps 30",
    ),
    "import cooccurrence": ("import cooccurrence instances_train2017.json",),
    "import exported": ("import exported annotations.jsonl judgements.parquet",),
    "import images": (
        "import images pictures --layout csv --generator mine",
        "import images outputs --layout geneval --generator sdv2",
        "import images objdet --layout visor --generator glide",
    ),
    "import itm": ("import itm --playground", "import itm rows.jsonl --images pictures --suite mine"),
    "import playground": ("import playground --project projects/small-world",),
    "import prompts": ("import prompts prompts.jsonl --suite mine",),
    "import questions": ("import questions --from-specs --suite geneval", "import questions question_answers.json"),
    "import ratings": (
        "import ratings ratings.csv --item image --rater worker --value answer --aspect correct --scale nominal",
        "import ratings metric.csv --item image --rater metric --value score --aspect score --scale interval --kind scorer",
        "import ratings people.csv --suite sr2d --item path --wide --aspect quality --scale ordinal:0.5-5:0.5 --dry-run",
    ),
    "import results geneval": ("import results geneval results.jsonl --generator sdv2",),
    "import results tifa": ("import results tifa evaluation_result.json --generator sd21",),
    "import scores": ("import scores run-made-elsewhere", "import scores job/scores"),
    "import study arena": ("import study arena arena-votes",),
    "import study genai-bench": ("import study genai-bench genai-bench", "import study genai-bench genai-bench --prompts 527"),
    "import study imagenhub": ("import study imagenhub imagenhub",),
    "import study tia2": ("import study tia2 tia2",),
    "import study viescore": ("import study viescore viescore imagenhub",),
    "reproduce all": ("reproduce all studies --format md > audit.md",),
    "reproduce arena": ("reproduce arena arena-votes",),
    "reproduce genai-bench": ("reproduce genai-bench genai-bench",),
    "reproduce imagenhub": ("reproduce imagenhub imagenhub",),
    "reproduce tia2": ("reproduce tia2 tia2",),
    "reproduce viescore": ("reproduce viescore viescore imagenhub",),
    "import study geneval": (
        "import study geneval --metadata evaluation_metadata.jsonl sdv2=annotations_sdv2.csv if-xl=annotations_if-xl.csv",
    ),
    "import study selfeval": ("import study selfeval",),
    "import study tifa": ("import study tifa human_annotations_with_scores.json",),
    "import undo": ("import undo", "import undo 3"),
    "itm": ("itm --suite itm-playground --format json",),
    "judge geneval": (
        "judge geneval --evidence evidence.jsonl -o verdicts.jsonl",
        "judge geneval --evidence evidence.jsonl --rule paper --summary",
        "judge geneval --evidence evidence.jsonl --format results -o results.jsonl",
    ),
    "judge tifa": ("judge tifa --evidence evaluation_result.json --summary",),
    "judge visor": ("judge visor --evidence evidence.jsonl --summary",),
    "models convert": ("models convert zhiqiulin/clip-flant5-xl", "models convert HPS_v2_compressed.pt"),
    "people code": ("people code prolific-1a2b3c4d5e",),
    "people erase": ("people erase ada --yes",),
    "people hash": ("people hash",),
    "people invitations": ("people invitations --format csv",),
    "people invite": ("people invite --campaign cows --expires 7d --uses 20 --address https://lab.example/concord",),
    "people link": ("people link KwX2b0Yq5c1d prolific 5f3c0ffee --address https://lab.example/concord",),
    "people list": ("people list --format csv",),
    "people owed": ("people owed ada",),
    "people pseudonym": ("people pseudonym prolific 5f3c0ffee",),
    "people reinstate": ("people reinstate ada --campaign cows",),
    "people revoke": ("people revoke ada --uncounted",),
    "people uninvite": ("people uninvite mXy2kPq0aB1c",),
    "preferences": ("preferences --suite mine",),
    "prompts": (
        "prompts geneval -o prompts.jsonl",
        "prompts geneval --seed 7 -o prompts.jsonl",
        "prompts sr2d-attributes --n 100 --seed 0 -o prompts.jsonl",
    ),
    "questionnaires": ("questionnaires", "questionnaires visor", "questionnaires mine.yaml"),
    "questions": ("questions prompts.txt --device cuda -o questions.jsonl",),
    "rank": ("rank --suite tifa", "rank --aspect correct --scorer clipscore --format json"),
    "rebuild": ("rebuild",),
    "restore": ("restore", "restore 20261122T193000Z-asked"),
    "reproduce geneval": (
        "reproduce geneval --metadata evaluation_metadata.jsonl sdv2=annotations_sdv2.csv if-xl=annotations_if-xl.csv",
    ),
    "reproduce selfeval": ("reproduce selfeval --format md",),
    "reproduce tifa": ("reproduce tifa human_annotations_with_scores.json",),
    "reproduce visor": ("reproduce visor --suite sr2d",),
    "drift": ("drift judge-qwen --n 50",),
    "score": (
        "score geneval",
        "score clipscore --generator playground-late --limit 100",
        "score geneval --profile mask2former-meta --set threshold=0.5 --device cuda",
        "score geneval --manifest job/manifest.jsonl --shard 3/16 --out job/scores --device cuda",
    ),
    "serve": ("serve --project projects/mine", "serve --users users.toml --host 0.0.0.0 --port 7860 --no-browser"),
    "vqa": ("vqa --reference photos --format json",),
}


RUN: Final = "uv run app.py"


def leaves(command: Any = None, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command that does something, by its words."""
    command = get_command(app) if command is None else command
    below = getattr(command, "commands", None)
    if below is None:
        yield " ".join(words), command
        return
    for name, subcommand in below.items():
        yield from leaves(subcommand, (*words, name))


def parsed(line: str) -> None:
    """Read a command's line as the app does, without running it.

    Raises:
        Exception: the app would refuse it.
    """
    _idle_tree().main(words_of(line), prog_name="app.py", standalone_mode=False)


@cache
def _idle_tree() -> Any:
    """All commands, none of which does anything; made once, since there are many lines to read."""
    tree = get_command(app)
    for _, leaf in leaves(tree):
        leaf.callback = lambda **_: None
    tree.callback = None
    return tree


def words_of(line: str) -> list[str]:
    """A line's words up to where the shell takes over (a redirection, a second command, a comment)."""
    read = shlex.shlex(line, posix=True, punctuation_chars="&>|;")
    read.whitespace_split = True
    words = []
    for word in read:
        if word[0] in "&>|;":
            break
        words.append(word)
    return words


def made() -> str:
    """All commands as Markdown."""
    parts = [_filters()]
    for words, command in sorted(leaves()):
        parts.append(f"## {words}\n\n{' '.join((command.help or '').split())}\n")
        examples = "\n".join(f"{RUN} {example}" for example in EXAMPLES.get(words, ()))
        parts.append(f"```\n{examples}\n```\n")
        parts.append(_options(command))
    return "\n".join(parts)


def _filters() -> str:
    rows = [(code(f"--{name}"), text) for name, text in FILTERS.items()]
    lead = "Commands that take a selection share these; each can be repeated, and values of one are alternatives."
    return f"## Filters\n\n{lead}\n\n{table(('option', 'what it does'), rows)}\n"


def _options(command: Any) -> str:
    own, shared = [], []
    for param in command.params:
        name = param.opts[0].removeprefix("--")
        if param.param_type_name == "option" and (name == "project" or (name in FILTERS and param.help == FILTERS[name])):
            shared.append(code(param.opts[0]))
        elif name != "help":
            own.append((_name(param), _default(param), _what(param)))
    parts = [table(("", "default", "what it does"), own) + "\n"] if own else []
    if shared:
        parts.append(f"As everywhere: {', '.join(shared)}.\n")
    return "\n".join(parts)


def _choices(annotation: Any) -> list[str]:
    """What may be given, of an option that takes one of several texts, or a list of them."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [each.value for each in annotation]
    return [each for inner in get_args(annotation) for each in _choices(inner)]


def _name(param: Any) -> str:
    if param.param_type_name == "argument":
        return code(param.metavar or param.name.upper())
    names = ", ".join(code(name) for name in (*param.opts, *param.secondary_opts))
    return names if getattr(param, "is_flag", False) or not param.metavar else f"{names} {code(param.metavar)}"


def _default(param: Any) -> str:
    if param.required:
        return "required"
    if getattr(param, "is_flag", False):
        return {True: "on", False: "off"}.get(param.default, "")
    value = param.default.value if isinstance(param.default, Enum) else param.default
    return "" if value is None or value in ("", [], ()) or callable(value) else code(value)


def _what(param: Any) -> str:
    choices = _choices(param.type_descriptor.annotation)
    sentences = [param.help or "", f"One of {', '.join(code(each) for each in choices)}." if choices else ""]
    if param.param_type_name == "option" and param.multiple and "epeatable" not in sentences[0]:
        sentences.append("Repeatable.")
    return " ".join(part for part in sentences if part)

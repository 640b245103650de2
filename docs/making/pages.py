"""What the parameters in the pages' addresses say.

Every page: where it is, what its address holds, and its keys, the last from the scripts themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from concord.browsing.listing import CROSSED, FILTERED, MARKED, RESTRICTING
from data.selection import Selection
from docs.making import ROOT, code, table
from ui.cli.options import FILTERS
from ui.shell.page import Page
from ui.web.studio import PAGES as PAGES_OF_STUDIO

LISTING: Final[dict[str, str]] = {
    "suite": "The suite.",
    "task": "The task.",
    "generator": "The model that made the images.",
    "rater": "Whose judgement each image shows: `people`, `simulated`, or a scorer's name.",
    "by": "The aspect that it shows and orders by (`correct`).",
    "order": "`prompt`, `lowest`, `highest`, `split` (people differ most first), `differs` (disagreement of people and"
    " scorers first), `confidence` (least confident first), `likert` (largest gap between score and Likert rating),"
    " or `recent`.",
    "object": "What the prompt asks for: a kind of object. This and what follows down to `range`: repeatable, alternatives.",
    "color": "... a colour.",
    "count": "... a number.",
    "relation": "... a relation, such as `left of`.",
    "tag": "A tag.",
    "q": "Every word, in the prompt's text or the item's id.",
    "says": "What a scorer says on `correct`: `RATER:yes`, `RATER:no` or `RATER:failed`.",
    "people": "What most people say on `correct`: `yes`, `no`, `tie`, or `none` (nobody has said).",
    "differs": "`RATER:missed` (people say yes, the scorer no), `RATER:passed` (the other way round), `people` (they are"
    " split), `scorers` (two verdicts differ).",
    "verdict": "Who was wrong by a researcher's verdict: `scorer`, `person`, `prompt`, `guideline`; `none`: no verdict yet.",
    "like": "Only the images that a model sees most like this one, by the embeddings that CLIPScore's runs keep; these first.",
    "range": "`RATER:LOW..HIGH`: a scorer's score; either end may be empty.",
    "show": "`grid`; `prompts`: a row a prompt, its generators beside each other; `map`: alike images lie near each other.",
    "item": "Only these images, by their ids: those that a number or a strip of thumbnails stands for.",
    "left": "Of rows by prompt: the generator on the left ...",
    "right": "... and the one on the right.",
    "of": "Whose scores the histogram among the filters shows.",
    "view": "A saved view, by its name; the page writes out what it holds.",
    "map": "`METHOD:MODEL[:KEY]`: the map's layout (`pca`, `umap`), whose embeddings, and on which map a line was drawn.",
    "lasso": "Only the images inside this line on the map: its corners, `x,y;x,y;...`, 3 to 200, from 0 to 100.",
    "paint": "The map's colour: `generator`, `task`, `suite`, `object`, `people`, `simulated`, `says:RATER`, `score:RATER`.",
    "about": "With `a` and `b`: only images of which two sides say something of this aspect.",
    "a": "One side: a rater, `people` or `simulated`.",
    "a_says": "What this side says; anything, if not given.",
    "b": "The other side.",
    "b_says": "What that one says.",
    "way": "How the sides meet: each answer (`each`) or the majority (`majority`) of people, the `halves` of two orders, or"
    " `apart`: the images that they place most differently.",
    "target": "Of crossed answers: only about these objects, relations or questions.",
    "campaign": "Of crossed answers: only in these campaigns.",
    "certainty": "Where people are `unanimous`, a `majority`, or `split`; of crossed answers, about these.",
    "since": "Of crossed answers: from this moment on.",
    "until": "Of crossed answers: up to this moment.",
    "among": "Of crossed answers: only these raters.",
    "picture": "With `seen_by`: only the images behind a mark of this picture of Failures.",
    "seen_by": "The scorer whose failure picture it is.",
    "asked": "What the mark says was asked.",
    "found": "What the mark says was found.",
    "blind": "`1`: Blind mode.",
}
"""A listing of images."""
_SCOPE: Final = {
    "suite": "The suite.",
    "aspect": "The question.",
    "generator": "The generators; repeatable, all by default.",
    "task": "The task; all by default.",
    "statistic": "The statistic of agreement.",
}
"""What the scope bar has."""
PARAMETERS: Final[dict[str, dict[str, str]]] = {
    "trust": {
        "suite": "The suite.",
        "aspect": "The question.",
        "generator": "The generators; repeatable, all by default.",
        "task": "The task; all by default.",
        "statistic": "The statistic of the first column, and of any two raters.",
        "rater": "The rater whose row is open; the first scorer by default.",
        "beside": "Whom it is compared with; people by default.",
        "epsilon": "Whom the alternative annotator test compares with: `0.1` a crowd, `0.15` skilled people, `0.2` experts.",
        "all": "`1`: all rows, generators and raters.",
        "numbers": "The part of All numbers that is open: `all`, `pair`, `replace`, `certainty`, `scorers`, `thresholds`,"
        " `consensus`.",
        "consensus": "Consensuses of people as raters, with commas between: `majority`, `dawid_skene`, `mace`.",
        "table": "`all_statistics`: tables with every statistic, not only the scale's main ones.",
    },
    "results": {
        "suite": "The suite.",
        "aspect": "The question.",
        "generator": "The generators; repeatable, all by default.",
        "task": "The task; all by default.",
        "statistic": "The statistic of agreement in the headings.",
        "sort": "Whose mean orders the rows: a rater, or `task:NAME`.",
        "column": "The raters that have a column beside the first; repeatable.",
        "by": "Whose means stand in the cells by task.",
        "metrics": "The suite's metrics instead of cells by task: `visor`, `geneval`, `tifa` or `selfeval`.",
        "prompts": "The order of the same prompts: `spread`, `wrong` or `random`.",
        "page": "The page of the same prompts, from 0.",
        "all": "`1`: all rows and all tasks.",
        "numbers": "`1`: the panel with all numbers is open.",
        "scorer": "Whose verdicts sharpen people's means.",
        "target": "What sharpened means hold for: `prompts` (new ones) or `these` images.",
        "labels": "The answers that count: `drawn` by a campaign, `random` (all, they are a random sample), or `trial` (40 of"
        " those there are).",
        "method": "`ppi` or `corrected`.",
    },
    "compare": {
        "suite": "The suite.",
        "aspect": "The question.",
        "task": "The task; all by default.",
        "a": "The generator before, the baseline.",
        "b": "The generator after, the candidate.",
        "by": "Whose prompts and tasks are shown.",
        "show": "The prompts on which the second one is `better` or `worse`, or both the `same`; empty: the longer list.",
        "page": "The page of prompts, from 1.",
    },
    "new_campaign": {
        "step": "`plan`, `images`, `questions`, `checks` or `invite`.",
        "campaign": "The draft that is edited; without it a new one.",
        "goal": "What is to be found out: `mean`, `difference`, `scorer`, or `label` for no plan.",
        "margin": "Half the interval of a mean, or half the difference, as a share of the scale, such as `0.05`.",
        "people": "People an image: `1`, `2`, `3` or `5`.",
        "from": "`typical`: by the variances of published studies.",
        "suite": "The suite that people rated.",
        "aspect": "What they rated.",
        "simulated": "`1`: by simulated people.",
        "scorer": "Of the goal `scorer`: which one.",
        "wage": "Pay an hour.",
        "currency": "Its currency.",
        "item": "An image that is chosen by hand; several.",
    },
    "studies": {
        "study": "The study, by its name in the commands.",
        "show": "Which of its numbers: `different`, `same`, `not_determined`, or all.",
        "page": "The page of numbers, from 1.",
    },
    "votes": {
        "numbers": "`1`: the panel with all numbers is open.",
        "suite": "The suite.",
        "two": "The two generators, as `A against B`.",
        "task": "Of the pairs listed: the task.",
        "who": "... who voted: a person, all people, a scorer.",
        "chose": "... what they chose: a generator, `both`, `none`, a tie, or where people and scorer are opposed.",
        "page": "The page of pairs, from 1.",
    },
    "captions": {
        "suite": "The suite.",
        "generator": "Where the images are from.",
        "task": "Of the images listed: the task.",
        "who": "... the scorer.",
        "said": "... `right`, `wrong`, or `only` (right, and no other scorer is).",
        "page": "The page of images, from 1.",
        "numbers": "`1`: the panel with all numbers is open.",
    },
    "tune": {
        **_SCOPE,
        "rater": "The scorer.",
        "along": "The setting that the curve runs along.",
        "people": "`people` or `simulated`.",
        "flips": "Of the verdicts that flip: `against` (no longer with people), `with` or `unknown`.",
        "numbers": "`1`: the panel with all numbers is open.",
    },
    "failures": {
        **_SCOPE,
        "rater": "The scorer.",
        "picture": "`counts`, `colors`, `bindings`, `positions`, `kinds`, `first`, `supercategories`, `cooccurrence`,"
        " `thresholds`, `seeds` or `flips`; of answers to questions `types`, `sources`, `entities`, `models` or `people`.",
        "flip": "What is flipped: `relation`, `color` or `count`.",
        "reference": "A generator of real images, to compare with.",
        "against": "The rater to compare with.",
        "group": "Of the answers listed: questions of which kind.",
        "whose": "... about whose images.",
        "answers": "... `right`, `wrong`, `different` from people's, and why.",
        "numbers": "`1`: the panel with all numbers is open.",
    },
    "people": {
        "campaign": "The campaign whose page is open, by its id; none: the overview.",
        "tab": "`progress`, `people`, `disputes`, `broken`, `pay`, `links`, `settings`, or `asked` (how people were asked).",
        "about": "What agreement and disputes are about, as `suite: aspect`.",
        "among": "Whose people the overview lists: of all that runs if not given, `all`, or `brought` (answers brought in).",
        "find": "Words in a person's name.",
        "all": "`1`: all of many people.",
        "archived": "`1`: archived campaigns, too.",
        "numbers": "`1`: the panel with all numbers.",
        "against": "`people`, or the scorer that people differ from.",
        "only": "`any`, `open` (no verdict yet), or who was wrong, as `person: NAME`.",
        "case": "The opened case: aspect, item and target as a JSON list.",
    },
    "report": {name: meaning for name, meaning in FILTERS.items() if name != "target"}
    | {
        "seed": "Of folds, of swaps of prompts, and of the failures that are shown.",
        "part": "What the report holds besides its first page: `generators`, `scorers`, `people`, `failures`, `numbers`,"
        " `methods`; all of them if none is given.",
        "format": "The formats that are offered first: `html`, `pdf`, `md`, `latex`, `csv`, `parquet`.",
        "study": "The published study whose printed numbers are listed.",
        "show": "... `all` of them, `different`, `same` or `not_determined` ones.",
        "page": "... the page of their list, from 1; none: the first ones.",
    },
    "add": {
        "kind": "Whose fields are open: `images`, `prompts`, `ratings`, `study` or `playground`.",
        "read": "What was read and waits to be stored, by its id.",
        "imports": "`all`: every import is listed.",
    },
    "runs": {
        "run": "The run that is shown in full, by its id.",
        "page": "Which page of the table, from 1.",
    },
}
"""What each page's address holds, by the page's name."""


@dataclass(frozen=True, slots=True)
class DocumentedPage:
    """A page as the docs tell of it.

    Attributes:
        path: below the app's root.
        what: what it is for.
        also: what else its address takes besides ``PARAMETERS``, by name.
        keys: the scripts that hold its keys.
    """

    path: str
    what: str
    also: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()


PAGES: Final[dict[str, DocumentedPage]] = {
    "annotate": DocumentedPage(
        "/annotate/",
        "The form for whoever labels: one item, its questions, all by keyboard ([guide](annotator.md)). People come to it by a"
        " link `/join/…`, by signing in, or, on this machine, by giving a name.",
        keys=("assets/js/form/dialogs.js",),
    ),
    "results": DocumentedPage(
        "/studio/results",
        "Which generator is best, how sure, on what: the leaderboard with rank groups and intervals, people's means alone or"
        " sharpened by a scorer ([how](statistics/estimates.md#estimates-by-peoples-standard)), the same prompts by every"
        " generator, and the images on which people and a scorer differ most. An empty project says what to do.",
        keys=("assets/js/navigation.js",),
    ),
    "add": DocumentedPage(
        "/studio/add",
        "Bring images, prompts, ratings, a study or the playground: drop files (in any place), see what was read, change names,"
        " store it, undo it; then label, score or invite.",
    ),
    "images": DocumentedPage(
        "/studio/images",
        "All images, filtered, in a grid or by prompt, one of them in a drawer: what every rater says and why, who"
        " is wrong by a key, what people answered, the form beside the evidence. The address says it all. What is opened is"
        " recorded as seen; Blind mode hides what others say until one has answered.",
        {"image": "The image in the drawer, by its id."},
        keys=("assets/js/images/keys.js", "assets/js/drawer/keys.js"),
    ),
    "trust": DocumentedPage(
        "/studio/agreement",
        "What each scorer may be used for, beside people's own level by the same statistic: to judge one image, to choose the"
        " better image of a prompt, to order generators ([statistics](statistics/ranking.md#ranking)). A rater beside another"
        " with the images on which they differ, any two raters, places within chance, the alternative annotator test; all else"
        " under All numbers. Filters of the command line work in the address, too.",
        {name: text for name, text in FILTERS.items() if name != "rater"},
    ),
    "compare": DocumentedPage(
        "/studio/results/compare",
        "Two generators on the same prompts: every rater's difference with its interval, wins, ties and losses, each task, and"
        " the pictures of the prompts on which one of them is better, or both the same.",
    ),
    "votes": DocumentedPage(
        "/studio/results/votes",
        "A/B tests: whom people prefer, whom scorers would, strengths, side bias, and the pairs behind each number.",
    ),
    "failures": DocumentedPage(
        "/studio/agreement/failures",
        "Where and how generators fail, a picture at a time: asked against found, the flip test, answers to questions; each"
        " mark leads to its images.",
    ),
    "tune": DocumentedPage(
        "/studio/agreement/tune",
        "A scorer's settings moved over what it has detected: agreement with people, its worth on held-out prompts, generators'"
        " means, and the images whose verdict flips. The settings are parameters, too, by their names"
        " ([settings](settings.md)).",
    ),
    "captions": DocumentedPage(
        "/studio/agreement/captions", "Image-text matching: accuracy against chance, votes, Winoground's scores, and images."
    ),
    "people": DocumentedPage(
        "/studio/people",
        "People: are they alike, who needs a look; campaigns as cards; `campaign` and `tab` open one: progress, people,"
        " disputes, broken images, pay, links, settings ([guide](campaigns.md)).",
    ),
    "new_campaign": DocumentedPage(
        "/studio/people/new",
        "A new campaign in five steps, each saved in a draft: Plan (how many prompts and people are enough,"
        " [statistics](statistics/estimates.md#how-many-labels-are-enough)), Images, Questions, Checks and pay, Invite;"
        " answers, hours and money stand below all of them.",
    ),
    "report": DocumentedPage(
        "/studio/report",
        "What goes into a report ([what is in it](exchange.md#the-report)), its first page as it will be, the reports made so"
        " far, and the printed numbers of a published study beside those of the project's ratings ([how](reproducing.md),"
        " [audit](audit.md)).",
    ),
    "runs": DocumentedPage("/studio/add/runs", "Runs of scorers and generators: progress, log; pause, go on, remove."),
}
"""Every page by the name of its module."""
_KEYS: Final = re.compile(r"KEYS = \[\n(.*?)\n\];", re.DOTALL)
_KEY: Final = re.compile(r'^  \[\[(?P<keys>(?:"[^"]*"(?:, )?)+)\], (?:later\()?"(?P<what>[^"]*)"', re.MULTILINE)
_NAMES_OF_LISTING: Final = re.compile(r"^(?:export )?const [A-Z]+ = \[(.*?)\];", re.MULTILINE)
_SHOWN: Final = {"ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "ArrowDown": "↓"}


def pages() -> dict[str, type[Page]]:
    """The studio's pages as the code has them, by the names of their modules."""
    return {page.__module__.rpartition(".")[2]: page for page in PAGES_OF_STUDIO}


def accepted(name: str) -> set[str]:
    """What a page reads from the address."""
    page = pages().get(name)
    parameters = set(page.ADDRESS) if page is not None else set()
    if name == "images":
        script = (ROOT / "assets/js/drawer/address.js").read_text(encoding="utf-8")
        parameters |= {parameter for part in _NAMES_OF_LISTING.findall(script) for parameter in re.findall(r'"(\w+)"', part)}
        parameters |= {"suite", "task", "generator", "view", "image", *CROSSED, *RESTRICTING, *MARKED, *FILTERED}
    if name == "agreement":
        parameters |= set(Selection.__dataclass_fields__)
    return parameters


def documented(name: str) -> dict[str, str]:
    """What the docs tell of a page's address."""
    if name == "images":
        known = accepted(name)
        return {key: meaning for key, meaning in LISTING.items() if key in known} | dict(PAGES[name].also)
    return PARAMETERS.get(name, {}) | dict(PAGES[name].also)


def present() -> dict[str, DocumentedPage]:
    """The pages that this Concord has."""
    return {name: page for name, page in PAGES.items() if name == "annotate" or name in pages()}


def keys_in(script: str) -> list[tuple[list[str], str]]:
    """Keys and what they do, from a script's list of them; empty: it has none."""
    path = ROOT / script
    match = _KEYS.search(path.read_text(encoding="utf-8")) if path.is_file() else None
    rows = _KEY.finditer(match[1]) if match else ()
    return [([part.strip().strip('"') for part in row["keys"].split(", ")], row["what"]) for row in rows]


def scripts_with_keys() -> set[str]:
    """Every script that lists keys for people."""
    return {str(path.relative_to(ROOT)) for path in (ROOT / "assets").rglob("*.js") if keys_in(str(path.relative_to(ROOT)))}


def made() -> str:
    """All pages as Markdown."""
    return "\n\n".join(_page(name, page) for name, page in present().items())


def _page(name: str, page: DocumentedPage) -> str:
    parts = [f"## {name.capitalize()}\n\n{code(page.path)}: {page.what}"]
    params = documented(name)
    if params:
        parts.append(table(("in the address", "what it says"), ((code(key), meaning) for key, meaning in params.items())))
    if keys := [row for script in page.keys for row in keys_in(script)]:
        shown = (
            (" ".join(code(_SHOWN.get(key, key.upper() if len(key) == 1 else key)) for key in each), meaning)
            for each, meaning in keys
        )
        parts.append(table(("keys", "what they do"), shown))
    return "\n\n".join(parts)


def undocumented() -> list[str]:
    """What of the pages nobody has written of: pages, parameters, scripts with keys."""
    missing: list[Any] = [name for name in pages() if name not in PAGES]
    for name in present():
        missing += [f"{name}: {key}" for key in sorted(accepted(name) - set(documented(name)))]
    return [*missing, *sorted(scripts_with_keys() - {script for page in PAGES.values() for script in page.keys})]

"""What the parameters in the pages' addresses say."""

from __future__ import annotations

from typing import Final

FILTERS: Final[dict[str, str]] = {
    "suite": "The suite.",
    "task": "Only these tasks; repeatable, as all filters.",
    "generator": "Only images by these models.",
    "aspect": "What was judged, such as `correct`.",
    "target": "Only judgements of these objects, relations or questions.",
    "rater": "Only these people or scorers; it restricts each of the two kinds of which it names one.",
    "campaign": "Only people's answers in these campaigns.",
    "tag": "Only images with these tags.",
    "certainty": "`unanimous`, `majority` or `split`: how far the selected people agree about it.",
    "since": "ISO date or time, UTC: answers given before are left out.",
    "until": "ISO date or time, UTC: answers given from then on are left out.",
}
"""A selection, as everywhere."""
LISTING: Final[dict[str, str]] = {
    "suite": "The suite.",
    "task": "The task.",
    "generator": "The model that made the images.",
    "rater": "Whose judgement each image shows: `people`, `simulated`, or a scorer's name.",
    "by": "The aspect that it shows and orders by (`correct`).",
    "order": "`prompt`, `lowest`, `highest`, `split` (people differ most first), `differs` (disagreement of people and"
    " scorers first), `confidence` (the scorer's least sure first), `likert` (largest gap between score and people's Likert),"
    " or `recent`.",
    "object": "What the prompt asks for: a kind of object. This and what follows down to `range`: repeatable, alternatives.",
    "color": "... a colour.",
    "count": "... a number.",
    "relation": "... a relation, such as `left of`.",
    "tag": "A tag.",
    "q": "Every word, in the prompt's text or the item's id.",
    "says": "What a scorer says on `correct`: `RATER:yes`, `RATER:no` or `RATER:failed`.",
    "people": "What most people say on `correct`: `yes`, `no`, `tie`, or `none` (nobody has said).",
    "differs": "`RATER:missed` (people say right, the scorer wrong), `RATER:passed` (the other way round), `people` (they are"
    " split), `scorers` (two verdicts differ).",
    "range": "`RATER:LOW..HIGH`: a scorer's score; either end may be empty.",
    "show": "`grid`, or `prompts`: a row a prompt, its generators beside each other.",
    "left": "Of rows by prompt: the generator on the left ...",
    "right": "... and the one on the right.",
    "of": "Whose scores the strip above the grid shows.",
    "view": "A saved view, by its name; the page writes out what it holds.",
    "map": "With `lasso`: the map on which the line was drawn ([Map](#map)).",
    "lasso": "Only the images inside this line on the map.",
    "about": "With `a` and `b`: only images of which two sides say something of this aspect.",
    "a": "One side: a rater, `people` or `simulated`.",
    "a_says": "What this side says; anything, if not given.",
    "b": "The other side.",
    "b_says": "What that one says.",
    "way": "How people meet the other side: `each` answer, or their `majority`.",
    "target": "Of crossed answers: only about these objects, relations or questions.",
    "campaign": "Of crossed answers: only in these campaigns.",
    "certainty": "Where people are `unanimous`, a `majority`, or `split`; of crossed answers, about these.",
    "since": "Of crossed answers: from this moment on.",
    "until": "Of crossed answers: up to this moment.",
    "among": "Of crossed answers: only these raters.",
    "picture": "With `seen_by`: only the images behind a mark of this failure picture on Explore.",
    "seen_by": "The scorer whose failure picture it is.",
    "asked": "What the mark says was asked.",
    "found": "What the mark says was found.",
}
"""A listing of images: Browse's, which the Workbench keeps."""
PARAMETERS: Final[dict[str, dict[str, str]]] = {
    "agreement": {
        "statistic": "The statistic that the matrix is shaded by.",
        "show": "The part: `all` (numbers), `certainty`, `scorers` or `thresholds`.",
        "consensus": "Consensuses of people as raters, with commas between: `majority`, `dawid_skene`, `mace`.",
        "table": "`all_statistics`: tables with every statistic, not only the scale's main ones.",
        "a": "One of the pair that is opened.",
        "b": "The other.",
    },
    "preferences": {
        "suite": "The suite.",
        "two": "The two generators, as `A against B`.",
        "task": "Of the pairs listed: the task.",
        "who": "... who voted: a person, all people, a scorer.",
        "chose": "... what they chose: a generator, `both`, `none`, a tie, or where people and scorer are opposed.",
        "page": "The page of pairs, from 1.",
    },
    "matching": {
        "suite": "The suite.",
        "generator": "Where the images are from.",
        "task": "Of the images listed: the task.",
        "who": "... the scorer.",
        "said": "... `right`, `wrong`, or `only` (right, and no other scorer is).",
        "page": "The page of images, from 1.",
    },
    "explore": {
        "suite": "The suite.",
        "rater": "The scorer.",
        "show": "The part: `thresholds`, `failures`, `flips` or `questions`.",
        "task": "The task; all by default.",
        "along": "The setting that the curve runs along.",
        "statistic": "`cohen_kappa` or `percent_agreement` with people.",
        "people": "`people` or `simulated`.",
        "changed": "Of the verdicts that changed: `yes`, `no` or `open` now.",
        "picture": "The failure picture: `counts`, `colors`, `bindings`, `positions`, `kinds`, `first`, `supercategories`,"
        " `cooccurrence`, `thresholds` or `seeds`.",
        "generator": "Whose failures.",
        "flip": "What is flipped: `relation`, `color` or `count`.",
        "see": "The picture of questions: `types`, `sources`, `entities`, `models` or `people`.",
        "source": "Only prompts of this text source.",
        "reference": "A generator of real images, to compare with.",
        "against": "The rater to compare with.",
        "group": "Of the answers listed: questions of which kind.",
        "whose": "... about whose images.",
        "answers": "... `right`, `wrong`, `different` from people's, and why.",
    },
    "campaigns": {
        "campaign": "The campaign.",
        "show": "Its part: `coverage`, `people`, `broken`, `adjudicate` or `invite`.",
        "about": "What is adjudicated, as `suite: aspect`.",
        "against": "`people`, or the scorer that people differ from.",
        "only": "Which cases: `any`, `open`, or a verdict.",
        "case": "The item that is opened.",
    },
    "map": {
        "map": "`METHOD:MODEL[:KEY]`: how they are laid out (`pca`, `umap`), by whose embeddings, and which map it was.",
        "lasso": "The corners of a line around some: `x,y;x,y;...`, 3 to 200, from 0 to 100. It works in Browse, too.",
        "paint": "The colour: `generator`, `task`, `suite`, `object`, `people`, `simulated`, `says:RATER`, `score:RATER`.",
    },
    "reports": {name: what for name, what in FILTERS.items() if name != "target"}
    | {"seed": "Of folds, and of swaps of prompts."},
    "runs": {
        "scorer": "The scorer to start.",
        "profile": "Its profile.",
        "suite": "Whose images.",
        "generator": "Whose images.",
        "device": "What the scorer is to run on: `cpu`, `cuda:1`, several with commas.",
        "show": "Which runs the table has: `newest`, or a part such as `21-40`.",
        "run": "The run whose log is shown.",
    },
}
"""What each page's address holds, by the page's name."""

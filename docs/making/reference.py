"""Reference tables: the data dictionary, the statistics of ``agreement.catalogue``, the JSON routes and the scorers' settings.

The dictionary comes from a new project's schema, the routes (method, path, who may ask, what they take) from the app itself;
what they are for is written here.
"""

from __future__ import annotations

import inspect
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from agreement.catalogue import DEFINITIONS as DEFINED
from agreement.catalogue import NOTATION, ON_REQUEST, STATISTICS, Measure, Statistic
from agreement.suite_metrics.catalogue import METRICS
from concord.campaigns.spec import CampaignSpec
from concord.library import Project
from concord.library_tables import REQUESTS
from data.campaigns.recruitment import RECRUITMENT_FIELDS
from data.requests import RequestField, fields_of
from data.store.core.schema import LEFT_OUT, SCHEMA
from docs.making import code, table
from scorers import registry
from scorers.base import Scorer


def schema() -> dict[str, dict[str, str]]:
    """Every table of a new project: its columns, in order, with their types."""
    from data.store.core.store import Store

    query = (
        "select c.table_name, c.column_name, c.data_type from duckdb_columns() c join duckdb_tables() t using (table_name)"
        " where not c.internal order by c.table_name, c.column_index"
    )
    columns: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store, store.read() as cursor:
        for name, column, kind in cursor.execute(query).fetchall():
            columns.setdefault(name, {})[column] = kind.lower()
    return columns


def undocumented_tables() -> list[str]:
    """Tables of which nobody tells, and columns of those that are described."""
    here = schema()
    missing = [name for name in here if name not in SCHEMA and name not in LEFT_OUT]
    for name, columns in here.items():
        if name in SCHEMA:
            missing += [f"{name}.{column}" for column in columns if not getattr(SCHEMA[name].columns.get(column), "text", "")]
    return missing


def tables() -> str:
    """All tables as Markdown: those that a snapshot has, then the others."""
    here, parts = schema(), []
    for name, columns in here.items():
        if name in SCHEMA:
            parts.append(_table_of(name, columns))
    rows = ((code(name), ", ".join(code(column) for column in here.get(name, {})), why) for name, why in LEFT_OUT.items())
    parts.append("### Tables that stay in the project\n\n" + table(("table", "columns", "why"), rows))
    return "\n\n".join(parts)


def _table_of(name: str, columns: dict[str, str]) -> str:
    description = SCHEMA[name]
    rows = []
    for column, kind in columns.items():
        column_description = description.columns[column]
        meaning = (
            column_description.text
            if column_description.kept
            else f"{column_description.text} (not in a snapshot: {column_description.why})"
        )
        rows.append((code(column), kind, meaning))
    text = f"{description.text[:1].upper()}{description.text[1:]}"
    return f"### {name}\n\n{text}.\n\n{table(('column', 'type', 'what it holds'), rows)}"


_NO_PAIR: Final = "No unit has two ratings"
_ONE_LABEL: Final = "all ratings use a single label"
_SHARE: Final = f"{_NO_PAIR}; of two raters: they share no unit"
_CHANCE: Final = f"{_SHARE}; {_ONE_LABEL}"
_VARIES: Final = "Fewer than two units; one side is constant"
UNDEFINED: Final[dict[str, str]] = {
    "mean": "Nothing was judged",
    "percent_agreement": _SHARE,
    "percent_agreement_first_vs_rest": _NO_PAIR,
    "unanimous_share": _NO_PAIR,
    "majority_share": _NO_PAIR,
    "cohen_kappa": f"{_CHANCE}; among slots, which are no individuals: Fleiss' kappa, alpha and AC1 serve",
    "cohen_kappa_first_vs_rest": f"{_NO_PAIR}; {_ONE_LABEL}",
    "cohen_kappa_linear": f"{_CHANCE}; among slots",
    "cohen_kappa_quadratic": f"{_CHANCE}; among slots",
    "fleiss_kappa": f"{_NO_PAIR}; {_ONE_LABEL}",
    "gwet_ac1": f"{_SHARE}; the scale has a single label",
    "gwet_ac2": f"{_SHARE}; the scale has a single label",
    "pabak": f"{_SHARE}; the scale has a single label; among slots",
    "krippendorff_alpha_nominal": f"{_SHARE}; all ratings have the same value",
    "krippendorff_alpha_ordinal": f"{_SHARE}; all ratings have the same value",
    "krippendorff_alpha_interval": f"{_SHARE}; all ratings have the same value",
    "krippendorff_alpha_ratio": f"{_SHARE}; all ratings have the same value",
    "icc_1": f"{_NO_PAIR}; nothing varies",
    "icc_2": "Among slots; fewer than two persons, or than two units that all of them rated; nothing varies",
    "pearson": _VARIES,
    "spearman": _VARIES,
    "kendall_tau_b": _VARIES,
    "kendall_tau_c": _VARIES,
    "auc": "People's answers are all yes, or all no",
}
"""When each has no value."""
_MEASURES: Final = {
    "yes or no": Measure("nominal", numeric=False, binary=True, labels=2),
    "nominal": Measure("nominal", numeric=False, binary=False, labels=3),
    "ordinal": Measure("ordinal", numeric=True, binary=False, labels=5),
    "interval": Measure("interval", numeric=True, binary=False, labels=0),
}


def undocumented_statistics() -> list[str]:
    """Statistics that somebody computes and nobody tells of."""
    return [name for name in STATISTICS if name not in DEFINED or not UNDEFINED.get(name)]


def statistics() -> str:
    """All of them as Markdown.

    Raises:
        ValueError: a statistic is not described.
    """
    missing = ", ".join(undocumented_statistics())
    if missing:
        raise ValueError(f"add a line to DEFINED (its formula) and to UNDEFINED here (when it has no value) for: {missing}")
    parts = [NOTATION]
    parts += [_statistic(name, DEFINED[name]) for name in STATISTICS]
    return "\n\n".join(parts)


def suite_metrics() -> str:
    """Return the metrics that suites declare, as Markdown."""
    rows = [
        (code(metric.name), metric.meaning, metric.formula, ", ".join(map(code, metric.needs)), metric.range, metric.source)
        for metric in METRICS.values()
    ]
    return table(("statistic", "meaning", "formula", "needs", "range", "source"), rows)


def _statistic(name: str, statistic: Statistic) -> str:
    among = [scale for scale, measure in _MEASURES.items() if name in measure.among()]
    two = [scale for scale, measure in _MEASURES.items() if name in measure.two_raters()]
    where = [f"among people: {', '.join(among) or 'no scale'}", f"of two raters: {', '.join(two) or 'no scale'}"]
    if name == "auc":
        where = ["a scorer's `score` beside people's yes or no"]
    note = " Only on request (`--statistic`)." if name in ON_REQUEST else ""
    rows = [
        ("formula", statistic.formula),
        ("range", statistic.range),
        ("for", "; ".join(where)),
        ("undefined", UNDEFINED[name]),
        ("source", statistic.source),
    ]
    return f"### {statistic.title}\n\n{code(name)}: {statistic.meaning}{note}\n\n{table(('', ''), rows)}"


ROUTE_TEXTS: Final[dict[str, str]] = {
    "POST /command": "Runs a command for the command line while the app holds the project; streams JSON lines"
    ' `{"stream", "text"}` and at last `{"exit": status}`. Only with the token in the project\'s `.server.json`.',
    "POST /api/name": "Sets the annotator's name; refused where accounts are used, as the name comes from the sign-in.",
    "POST /api/leave": "Ends the session and releases the person's reserved items.",
    "POST /api/campaign": "Switches to another running campaign.",
    "POST /api/consent": "Records consent to the campaign's text, by the hash from `next`.",
    "GET /api/next": "What to show: `state` (`name`, `choose`, `consent`, `label`, `done` ...), and with `label` this item and"
    " the one after it, each with its `ticket`, pictures, questions, and a kept draft. `quick=true`: with the one question of"
    " the quick form, where no campaign has chosen other questions; the answer says `quick: true`, too.",
    "POST /api/submit": "Saves an answer; `id` is a UUID of the browser's own, so sending twice saves once. 422 with `errors`"
    " by question. `status` is `surplus` for an answer that does not count, and `reason` says why. `following: true`: the"
    " reply has `next`. `offer` is what the task told: times are stored as far as they lie since then, and not without it.",
    "POST /api/skip": "Skips an item; it returns at the end.",
    "POST /api/unskip": "Undoes the last skip.",
    "POST /api/pause": "Releases the person's reserved items; returns `code` and `url` for who stops, or a `contact`.",
    "POST /api/report": "Reports an item as broken.",
    "POST /api/withdraw": "Withdraws all of the person's answers in a campaign that allows it; returns how many stopped"
    " counting (`withdrawn`) and what the form then shows.",
    "POST /api/draft": "Saves a draft of an answer.",
    "GET /api/last": "The person's last answer with its form, for revision.",
    "GET /api/mine": "The person's latest answers (100 at most).",
    "GET /api/mine/{annotation_id}": "One of these answers with its form; to revise it, `submit` with `revises`.",
    "GET /img/{sha256}": "The picture with this content hash, without metadata: upright, in the same pixels; of an animation"
    " the first frame. `?w=` a WebP of that width (1600: the form's). Cached for ever.",
    "GET /api/studio/original/{sha256}": "The image file with this content hash, byte for byte, with its metadata.",
    "GET /api/studio/version": "A version string that changes with every write; poll it to detect changes.",
    "GET /api/studio/items": "A page of the images; the query is the address of Images ([parameters](pages.md#images)), and"
    " `page` from 0.",
    "GET /api/studio/item": "One item: its prompt, spec, pictures, and the person's own answers. `covered`: whether"
    " other people's answers are still hidden from them.",
    "GET /api/studio/task": "The form for this image in the drawer (`quick=true`: as for `next`); once it is answered,"
    " in `matches` on how many images each scorer says the same as the person.",
    "GET /api/studio/neighbours": "The items before and after this one in a listing of images.",
    "GET /api/studio/evidence": "Evidence of every scorer and all answers about an item; only `covered: true` before the person"
    " has answered or uncovered it.",
    "POST /api/studio/uncover": "Uncovers an item for the person, which is recorded: later answers do not count as blind.",
    "GET /api/studio/remarks": "Notes, verdicts and the history of an item; only `covered: true` while they are hidden.",
    "POST /api/studio/notes": "Writes a note about an item, or revises one's own (`revises`; an empty `text` deletes it)."
    " `id` is the sender's own UUID.",
    "POST /api/studio/verdict": "Records the correct value of an aspect or target of an item, and who was `wrong`: `scorer`,"
    " `person`, `prompt` or `guideline`; `so_far`: how many verdicts there are, and how many blame the same.",
    "POST /api/studio/verdict/back": "Takes the verdict on an aspect or target of an item back; 409 if there is none any more.",
    "GET /api/studio/gold": "Draft campaigns that gold can be added to.",
    "POST /api/studio/gold": "Makes an item with a verdict gold of a draft `campaign`; the reply has the `expected` answers.",
    "GET /api/studio/flagged": "Everybody with a flag in a `campaign` who is not out: `person`, `flags` (`kind`, `code`,"
    " `sentence`) and whether they are `preselected` for revoking.",
    "POST /api/studio/revoke": "Revokes these `people` of a `campaign` together, or without any those who are preselected; with"
    " `uncount` their answers stop counting. The reply has their names and how many answers.",
    "POST /api/studio/revoke/undo": "Lets those in again who were last revoked together in a `campaign`.",
    "GET /api/studio/look": "How many `people` of running campaigns need a look.",
    "POST /api/studio/campaign/person": "Pauses a `person` of a `campaign` (`act`: `pause`, answers stay), revokes them"
    " (`revoke`, answers stop counting) or lets them in again (`reinstate`); `said`: what became of their answers.",
    "POST /api/studio/campaign/move": "Starts, pauses, archives, brings back or deletes a `campaign` (`act`).",
    "POST /api/studio/campaign/duplicate": "A draft with the same items and settings; `campaign`: its id.",
    "POST /api/studio/campaign/meaning": "What a change of settings (`values`) would mean, a sentence each; nothing is stored.",
    "POST /api/studio/campaign/settings": "Changes settings of a `campaign`; those that `values` does not name stay.",
    "POST /api/studio/campaign/asked": "How people were asked, by field (`values`).",
    "POST /api/studio/campaign/aside": "Sets an `item` of a `campaign` aside, or offers it again (`aside: false`).",
    "POST /api/studio/campaign/settle": "Decides about a `person`'s pay (`decision`: `approve`, `return`, `reject`).",
    "POST /api/studio/campaign/submissions": "Pay with the platform's own ids, from the `text` of its file of submissions, of"
    " which nothing is stored.",
    "POST /api/studio/case": "A case of a campaign's disputes with all answers, as HTML; that the caller has seen them is"
    " recorded first.",
    "POST /api/studio/case/verdict": "What is right in a case (`verdict`), and who was `wrong`; `following`: the next case.",
    "GET /api/studio/preview": "A campaign as its people will see it: consent and its first 20 tasks; nothing is stored.",
    "GET /api/studio/facets": "Filters with live counts, the listing as a sentence, and its total;"
    " the query is the address of Images.",
    "GET /api/studio/strip": "The distribution of a scorer's scores in a listing (`of`), in bins, beside all.",
    "GET /api/studio/rows": "A listing by prompt: each generator's images in a cell.",
    "GET /api/studio/tags": "All tags, and how many images have each.",
    "POST /api/studio/tags": "Tags images, or removes a tag (`on: false`); `id` is the sender's own UUID.",
    "GET /api/studio/views": "The project's saved views: name, query, by whom and when.",
    "POST /api/studio/views": "Saves a view under a name.",
    "POST /api/studio/views/forget": "Deletes a saved view.",
    "GET /api/studio/export/{what}.{form}": "`ratings`, `judgements` or `annotations` of a selection as `csv`, `parquet` or"
    " `jsonl`; the query is the selection.",
    "GET /api/studio/report/{key}/{form}": "Downloads a report that the page *Reports* has created.",
    "GET /api/studio/people/owed": "What a person is owed, by campaign.",
    "POST /api/studio/people/erase": "Erases a person and all their answers; 409 with what is owed, unless `keep_debt` says"
    " that it was read. `kept`: the sums that stay without a name.",
    "POST /api/studio/people/code": "A new re-entry code for a participant of a crowd platform; the old one ends.",
    "POST /api/studio/drafts": "Saves the wizard's values as a draft; `campaign`: its name.",
    "POST /api/studio/drafts/start": "Starts a draft as it was last saved.",
    "POST /api/studio/people/link": "The path of a personal link for one participant of a crowd platform.",
    "GET /api/studio/people/links": "A campaign's links, as HTML.",
    "POST /api/studio/people/links": "Makes a link to a campaign; `path` belongs behind the app's address.",
    "POST /api/studio/people/links/revoke": "Takes a link back, and ends the sessions that began with it.",
    "POST /api/studio/people/withdraw": "Withdraws a person's answers in a `campaign` because they ask for it, for good.",
    "GET /api/studio/map": "The map of the listed images: points, what they are coloured by, how far it is.",
    "GET /api/studio/map/image": "Redirects to the image of a point on the map.",
    "GET /api/studio/map/inside": "The images inside a lasso on the map.",
}
"""What each route is for, by method and path."""
WHO: Final = {
    "annotator": "whoever labels",
    "researcher": "researchers",
    "admin": "administrators",
    "command": "this machine's commands",
    "public": "all",
}
_OUT: Final = ("/studio", "/annotate", "/login", "/logout", "/join", "/assets", "/favicon.ico")


def listed() -> Iterator[tuple[str, Any]]:
    """Every route of ours that is no page, by method and path."""
    from data.store.core.store import Store
    from ui.web.server import create_app

    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        yield from sorted(_routes(create_app(store, "token").routes), key=lambda each: each[0])


def _routes(routes: Any) -> Iterator[tuple[str, Any]]:
    for route in routes:
        if (included := getattr(route, "original_router", None)) is not None:
            yield from _routes(included.routes)
        elif getattr(route, "methods", None) and route.path != "/" and not route.path.startswith(_OUT):
            for method in sorted(set(route.methods) - {"HEAD"}):
                yield f"{method} {route.path}", route


def description_of(name: str, route: Any) -> str:
    """What a route is for, in a paragraph; empty: nobody has said."""
    return ROUTE_TEXTS.get(name) or " ".join((inspect.getdoc(route.endpoint) or "").split())


def made() -> str:
    """All routes as Markdown."""
    from ui.web.auth.authorization import access_of

    rows = []
    for name, route in listed():
        access = access_of(route.path)
        who = "nobody" if access is None else WHO[access.value]
        rows.append((code(name), who, _takes(route), description_of(name, route)))
    return table(("route", "who", "takes", "what it does"), rows)


def _takes(route: Any) -> str:
    """The names of what is sent: in the query, and in the JSON body."""
    named = [query.alias or query.name for query in _queries(route.dependant)]
    sent = [f"?{', '.join(code(name) for name in dict.fromkeys(named))}"] if named else []
    for param in route.dependant.body_params:
        fields = getattr(getattr(param.field_info, "annotation", None), "model_fields", {})
        sent.append(f"{{{', '.join(code(name) for name in fields)}}}")
    return " ".join(sent)


def _queries(dependant: Any) -> Iterator[Any]:
    yield from dependant.query_params
    for below in dependant.dependencies:
        yield from _queries(below)


SCORER: Final[dict[str, str]] = {
    "answer": "The answer whose probability is the score.",
    "answering": "`choices`: the probability of each choice; `free`: the model answers freely ([details](models.md)).",
    "background": "What a crop shows around the object's mask: a colour, or `original`.",
    "batch": "Rows per network call; changes speed and memory, not results.",
    "beams": "Beam width of the caption search.",
    "captioner": "Captioning model: a hub id or a folder.",
    "clip": "The image-text model: ARCHITECTURE/TAG of open_clip, or a folder; `geneval` uses it to classify colours.",
    "counting_threshold": "The same as `threshold` for all objects of a counting prompt.",
    "crop": "1: colours are classified on the crop of the object's box; 0: on the whole image.",
    "detector": "The detector: a hub id, a folder, or a YOLO checkpoint ([which ones](models.md)).",
    "detector_overlap": "IoU threshold of YOLO's non-maximum suppression within a class.",
    "detector_side": "Image size for the detector, in pixels.",
    "every": "Number of draws between two tests of `stop`.",
    "flip": "`relation`, `color` or `count`: flips the texts for the flip test; the results are not scores.",
    "keep": "Detections up to this confidence are not stored; no threshold can go below it.",
    "combine": "Of the answer's tokens: `mean` (geometric, the authors') or `product`.",
    "aggregate": "`jensen` (mean of log p over trials) or `lse` (log of the mean p).",
    "last_step": "Replacement of the last step's variance of 0: `previous`, `large`, or `drop`.",
    "longest": "Maximum number of tokens in the caption.",
    "max_objects": "Maximum number of objects per class, the most confident ones.",
    "max_overlap": "Of two objects of a class with at least this IoU, the less confident is dropped (1: never).",
    "metric": "Similarity of caption and prompt: `bleu1` to `bleu4`, `rouge_l`, `meteor` or `cider`.",
    "model": "The diffusion model: a name of `generate`, a hub id, or a folder.",
    "position_threshold": "Minimum distance of two objects, as a share of their sizes.",
    "precision": "Number format of the weights.",
    "prefix": "Text put in front of each prompt.",
    "rotations": "For models that answer by letters: number of choice orders to average (0: one per choice).",
    "rule": "For positions: `official` (the published code) or `paper` (its formula).",
    "seed": "Random seed of the noise.",
    "sentences": "The model that matches free answers with choices.",
    "stages": "Early elimination of captions: `10:2,50:1` keeps the best two after 10 draws, and one after 50.",
    "steps": "Number of denoising steps (T).",
    "stop": "Drops a caption whose errors are larger in a paired t-test at this level (0: never).",
    "template": "Question template with `{text}` for the prompt.",
    "threshold": "Objects with higher confidence than this count.",
    "trials": "Number of trials (N); the first trials are the same for any N.",
    "variant": "Formula for the score: `cos`, `100*cos`, `100*max(cos,0)`, `2.5*max(cos,0)` or `scale*cos`.",
    "vocabulary": "Class names for an open-vocabulary detector: the prompt's objects (`asked`), or all of COCO's (`coco`).",
    "vqa": "Question-answering model: a hub id or a folder; empty: it is at an address.",
    "address": "Base URL of an OpenAI-compatible endpoint (`https://HOST/v1`); its key is read from `CONCORD_API_KEY`.",
    "at_once": "Requests under way at the same time.",
    "budget": "The run stops before all that this rater has cost is more than this (0: no limit).",
    "date": "The day that names this rater (`2026-11-25`); another day is another rater, and all is asked anew.",
    "image_size": "Images are made smaller so that the longer side has at most so many pixels.",
    "judge": "The model’s name at the endpoint, best with its version.",
    "logprobs": "1: ask for the probabilities of the first token; 0: do not (some endpoints refuse).",
    "per_minute": "Requests a minute at most (0: no limit).",
    "price_in": "Price of a million tokens that are sent, images too.",
    "price_out": "Price of a million tokens that are written.",
    "prompt": "What is asked, with `{question}` and `{options}`.",
    "rubric": "What is graded from 0 to 10, or asked about a pair, with `{text}` for the prompt.",
    "samples": "Replies to each question; their shares are the probabilities where the endpoint gives none.",
    "score": "`share` of right answers, or Soft-TIFA: `arithmetic` or `geometric` mean of the right answers’ probabilities.",
    "temperature": "Sampling temperature at the endpoint.",
    "timeout": "Seconds until an attempt is given up.",
    "weighting": "`uniform` (all steps alike) or `bound` (the weights of the evidence lower bound).",
}
"""What each setting of scorers means, by name; one name means one thing, whichever scorer has it."""


def of_scorer(scorer: Scorer) -> dict[str, dict[str, Any]]:
    """Each setting by name, with its value by profile; ``''`` in the profile of options."""
    settings: dict[str, dict[str, Any]] = {}
    for profile, values in {"": {**scorer.options, **scorer.operating}, **scorer.profiles}.items():
        for key, value in values.items():
            settings.setdefault(key, {})[profile] = value
    return settings


def undocumented() -> list[str]:
    """Settings of scorers of which nobody has said what they mean."""
    missing = []
    for name in registry.NAMES:
        missing += [f"{name}: {key}" for key in of_scorer(registry.get(name)) if not SCORER.get(key)]
    return missing


def library() -> str:
    """The methods of ``concord.library.Project`` as Markdown: calls, and their docstrings."""
    parts = []
    for name, method in inspect.getmembers(Project, inspect.isfunction):
        if not name.startswith("_"):
            call = inspect.signature(method)
            signature = call.replace(parameters=[*call.parameters.values()][1:])
            text = re.sub(r"``(.+?)``", r"`\1`", inspect.getdoc(method) or "")
            summary, *sections = re.split(r"\n\n(?=(?:Args|Raises):\n)", text)
            written = {
                entry.partition(":")[0].strip(): " ".join(entry.partition(":")[2].split())
                for section in sections
                for entry in re.split(r"\n    (?=\S)", section)[1:]
            }
            declared = {field.name: field.setting.help for field in fields_of(REQUESTS[name])} if name in REQUESTS else {}
            meanings = {each: declared[each] for each in call.parameters if each in declared} | written
            rows = [(code(each), meaning) for each, meaning in meanings.items()]
            typed = re.sub(r"(: |-> )'(.+?)'", r"\1\2", str(signature))
            parts.append(f"### {name}\n\n```python\np.{name}{typed}\n```\n\n{summary}")
            parts += [table(("argument or error", "meaning"), rows)] if rows else []
    return "\n\n".join(parts)


def campaigns() -> str:
    """Campaigns' settings as Markdown."""
    return table(("setting", "default", "what it means"), map(setting_row, fields_of(CampaignSpec)))


def setting_row(field: RequestField) -> tuple[str, str, str]:
    """Return a field's name, default and meaning as Markdown."""
    setting = field.setting
    file = f"Here its text; or `{setting.file}`, which names the file." if setting.file else ""
    choices = f"One of {', '.join(map(code, field.choices))}." if field.choices else ""
    default = _as_code(field.default) + (f" {setting.unit}" if setting.unit else "")
    return code(field.key), default, " ".join(filter(None, (setting.help, file, choices, setting.details)))


def recruitment() -> str:
    """What is asked once of a campaign, for reports."""
    return table(
        ("field", "what it should say"),
        ((code(name), f"{field.title}. {field.asks}") for name, field in RECRUITMENT_FIELDS.items()),
    )


def scorers() -> str:
    """Scorers with their profiles and settings as Markdown."""
    return "\n\n".join(_scorer(registry.get(name)) for name in registry.NAMES)


def _scorer(scorer: Scorer) -> str:
    scales = ", ".join(f"{code(aspect)} ({scale})" for aspect, scale in scorer.scales.items())
    rows = [
        (
            code(key) + (" (judging)" if key in scorer.judging else " (run)" if key in scorer.operating else ""),
            "; ".join(_values(values)),
            scorer.knobs[key].help if key in scorer.knobs and key not in SCORER else SCORER.get(key, ""),
        )
        for key, values in of_scorer(scorer).items()
    ]
    head = f"### {scorer.name}\n\n{scorer.summary} Version {scorer.version}; judges {scales}."
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

"""The annotation form: what a person is asked about a task, what their answers make of it, and what their browser is told
besides.

Where questionnaires and campaigns meet. An offer is a moment that the server signs and the browser sends back: nobody can have
worked longer. A manager's Markdown becomes nodes that the browser builds by ``createElement``: no text ever passes through a
parser there. Campaigns tell annotators who they are, how far they are, and why nothing is offered. ``questionnaires`` prints
what people are asked, and checks a file of a user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from hmac import compare_digest
from itertools import count, islice
from pathlib import Path
from typing import Any, Final, TextIO
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from annotation.questionnaires import registry
from annotation.questionnaires.base import Questionnaire, clean, to_json
from annotation.questionnaires.custom import read
from annotation.questionnaires.form import Form, FormItem
from annotation.questionnaires.registry import all_as_markdown, as_markdown
from concord.common import next_steps
from concord.common.base_path import at
from concord.judging import derive, form_about, form_of
from data.campaigns.checks import Training, accepted_answers, wrong_answers
from data.campaigns.items import CampaignItem, CheckSchedule, pair_order
from data.campaigns.settings import Campaign, Settings
from data.files import InputError, printable, read_text
from data.people import keyed_hash
from data.records import Annotation
from data.store import library
from data.store.browse import contents
from data.store.campaigns import departures, management
from data.store.campaigns.allocation import CampaignProgress, ClosedReason, NextTasks
from data.store.core import campaign_items
from data.store.core.campaign_items import DEFAULT, DEFAULT_OVERLAP, REFUSALS, AnnotationTask
from data.store.core.store import Store
from data.store.judgements.answer_status import Feedback, feedback_on
from data.store.library import QuestionVersion

RichTextNode = str | dict[str, Any]
"""A text, or ``{"tag", "children"}`` with ``href`` of a link and ``src``, ``alt`` of a picture."""

_TAGS: Final = frozenset(
    ("p", "h1", "h2", "h3", "h4", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote", "hr", "br", "s")
)
_ITEM: Final = "item:"
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")


def rich_text_nodes(text: str, picture: Callable[[str], str | None] = lambda _: None) -> list[RichTextNode]:
    """What a Markdown text says.

    HTML stays text; links lead to http and https only. ``![what](item:ID)`` shows the project's image of that id: ``picture``
    gives its address, None where there is none; of other pictures, which would tell strangers who looks, the words stay.
    """
    root: list[RichTextNode] = []
    _build_nodes(_MARKDOWN.parse(text), root, picture)
    return root


def _build_nodes(tokens: Sequence[Token], root: list[RichTextNode], picture: Callable[[str], str | None]) -> None:
    stack: list[list[RichTextNode]] = [root]
    for token in tokens:
        if token.type == "inline":
            _build_nodes(token.children or (), stack[-1], picture)
        elif token.type in ("text", "html_block", "html_inline"):
            stack[-1].append(token.content)
        elif token.type == "softbreak":
            stack[-1].append(" ")
        elif token.type == "image":
            stack[-1].append(_picture_node(token, picture))
        elif token.type in ("code_inline", "code_block", "fence"):
            code: RichTextNode = {"tag": "code", "children": [token.content.rstrip("\n")]}
            stack[-1].append(code if token.type == "code_inline" else {"tag": "pre", "children": [code]})
        elif token.nesting == -1:
            stack.pop()
        else:
            children: list[RichTextNode] = []
            node: dict[str, Any] = {
                "tag": token.tag if token.tag in _TAGS and token.tag != "a" else "span",
                "children": children,
            }
            address = str(token.attrs.get("href", ""))
            if token.tag == "a" and urlsplit(address).scheme in ("http", "https"):
                node = {"tag": "a", "children": children, "href": address}
            stack[-1].append(node)
            if token.nesting == 1:
                stack.append(children)


def _picture_node(token: Token, picture: Callable[[str], str | None]) -> RichTextNode:
    source = str(token.attrs.get("src", ""))
    address = picture(source.removeprefix(_ITEM)) if source.startswith(_ITEM) else None
    return {"tag": "img", "children": [], "src": address, "alt": token.content} if address else token.content


@dataclass(frozen=True)
class ItemForm:
    """A questionnaire about one task, as one person sees it.

    Attributes:
        campaign: its id.
        version: of the prompt's own questions, None where they play no part.
    """

    campaign: str
    task: AnnotationTask
    form: Form
    item: FormItem
    questionnaire: Questionnaire
    version: int | None = None

    def to_json(self) -> dict[str, Any]:
        """All that a browser needs to ask, and nothing that tells whose images these are."""
        order = self.item.order or range(len(self.task.pictures))
        shown = [self.task.pictures[position] for position in order]
        return {
            "ticket": self.task.public_id,
            "campaign": self.campaign,
            "images": [{"image": at(f"/img/{image.sha256}"), "width": image.width, "height": image.height} for image in shown],
            "caption": self.task.text if self.questionnaire.shows_prompt else None,
            "questionnaire": self._questionnaire_json,
            "asked": self.version,
            "answers": None,
            "revises": None,
        }

    @cached_property
    def _questionnaire_json(self) -> dict[str, Any]:
        return to_json(self.questionnaire)

    def annotation(self, person: str, answers: Mapping[str, Any], **more: Any) -> Annotation:
        """These answers, with what follows from them; ``more`` are the record's other values."""
        members = [picture.image_id for picture in self.task.pictures]
        raw: dict[str, Any] = {"order": self.item.order} if self.item.order else {}
        raw |= {} if self.version is None else {"questions": self.version}
        return Annotation(
            item_id=self.task.item_id,
            rater_id=person,
            questionnaire=self.form.name,
            answers=answers,
            judgements=derive(self.form, answers, self.item, members),
            rule_version=self.form.rule_version,
            campaign_id=self.campaign,
            raw=raw or None,
            scales=self.form.scales,
            **more,
        )


def campaign_of(store: Store, campaign_id: str) -> Campaign | None:
    """A campaign; the default one is there before anybody has worked in it."""
    campaign = management.get(store, campaign_id)
    if campaign is None and campaign_id == DEFAULT:
        return Campaign(DEFAULT, DEFAULT, overlap=DEFAULT_OVERLAP, state="running", settings=Settings(order="shared"))
    return campaign


def item_form(
    store: Store,
    campaign: Campaign,
    task: AnnotationTask,
    person: str,
    version: int | None = None,
    answered: str | None = None,
) -> ItemForm:
    """What this person is asked about a task; of the prompt's own questions those of ``version``, None: of today.

    ``answered``: the questionnaire of the answer that is revised, or that somebody wants where no campaign has chosen one.

    Raises:
        ValueError: there is no such questionnaire.
        KeyError: there is no such version.
    """
    order = pair_order(campaign.seed, campaign.campaign_id, person, task.item_id) if task.kind == "pair" else ()
    form = form_about(campaign, task.spec, answered)
    key = ("form", campaign.campaign_id, task.item_id, order, version, form.name)
    since, cached = store.memory.state, store.memory.get(key)
    # of a campaign or a task that was read before something was written nothing is kept
    if cached is not None and cached[0] is campaign and cached[1] is task:
        about: ItemForm = cached[2]
        return about
    about = _build(store, campaign, task, form, order, version)
    store.memory.put(key, (campaign, task, about), since)
    return about


def _build(
    store: Store, campaign: Campaign, task: AnnotationTask, form: Form, order: tuple[int, ...], version: int | None
) -> ItemForm:
    own = None
    if form.prompted and version is not None:
        own = library.questions_at(store, task.prompt_id, version)
    elif form.prompted:
        own = library.current_questions(store, [task.prompt_id]).get(task.prompt_id, QuestionVersion())
    generators = tuple(picture.generator for picture in task.pictures)
    item = FormItem(task.text, task.spec, len(task.pictures), own.questions if own else (), generators, order)
    return ItemForm(campaign.campaign_id, task, form, item, form.build(item), own.number if own else None)


def feedback_json(answers: Mapping[str, Any], feedback: Feedback | None) -> dict[str, Any] | None:
    """What a person is told about an item whose right answer is known; the browser words it, in their language."""
    if feedback is None:
        return None
    wrong = [
        {"question": name, "expected": accepted_answers(right), "given": answers.get(name)}
        for name, right in feedback.expected.items()
    ]
    return {"right": feedback.right, "wrong": wrong}


def sign_offer(store: Store, person: str, about: ItemForm, now: datetime | None = None) -> str:
    """This moment, good for this person's answer to this task alone. ``now`` is for tests."""
    moment = (now or datetime.now(UTC)).isoformat()
    return f"{moment}~{_offer_mark(store, person, about, moment)}"


def offered_at(store: Store, person: str, about: ItemForm, signed: str | None) -> datetime | None:
    """The moment that was signed; None if it was not, or for something else."""
    moment, _, mark = (signed or "").partition("~")
    try:
        genuine = compare_digest(mark.encode(), _offer_mark(store, person, about, moment).encode())
        return datetime.fromisoformat(moment) if genuine else None
    except ValueError:  # half a character, say
        return None


def _offer_mark(store: Store, person: str, about: ItemForm, moment: str) -> str:
    return keyed_hash(store.secret, "offer", "\n".join((about.campaign, about.task.public_id, moment, person)))


def plausible_times(
    offered: datetime | None, started: datetime | None, seconds: float | None
) -> tuple[datetime | None, float | None]:
    """When somebody started and how long they worked, as far as the server's own clock can bear it out."""
    if offered is None:
        return None, None
    now = max(datetime.now(UTC), offered)
    longest = (now - offered).total_seconds()
    return (
        None if started is None else min(max(started, offered), now),
        None if seconds is None else min(seconds, longest),
    )


_NOT_BEGUN: Final[dict[ClosedReason, tuple[str, str]]] = {
    "stopped": (
        "Stopped for now",
        "This campaign has been stopped for now. You have not answered anything in it; please come back later.",
    ),
    "archived": ("This campaign has ended", "This campaign ended before you answered anything, so nothing is left to do."),
    "budget": (
        "Enough people have answered",
        "This campaign has all the answers that it can pay for, so nothing is left for you. Thank you for coming!",
    ),
    "closed": ("This campaign has ended", "This campaign ended before you answered anything, so nothing is left to do."),
}
"""Why no item is offered to somebody who has answered nothing: a title and a sentence."""
_CLOSED: Final[dict[ClosedReason, tuple[str, str]]] = {
    "none": ("This campaign is gone", "This campaign was deleted. Please ask whoever invited you."),
    "draft": ("Not started yet", "This campaign has not started yet. Please come back later."),
    "stopped": (
        "Stopped for now",
        "This campaign has been stopped for now. What you have answered is kept; please come back later.",
    ),
    "archived": ("This campaign has ended", "This campaign has ended. What you have answered is kept. Thank you!"),
    "revoked": ("You cannot go on here", "You have been taken out of this campaign. Please ask whoever invited you."),
    "paused": (
        "You are paused",
        "Too many of your answers to check pictures were not right, so you are not given any more. What you have answered"
        " is kept. If you think that this is a mistake, please write to whoever invited you.",
    ),
    "withdrawn": (
        "Your answers are withdrawn",
        "You have withdrawn your answers from this campaign: they do not count any more, and others get these images. What was"
        " paid or published before stays as it is. Thank you for your time!",
    ),
    "training": (
        "The examples were not passed",
        "The examples were not answered well enough to go on with this campaign. Thank you for trying!",
    ),
    "limit": ("All done, thank you", "You have answered as many as one person may here. Thank you!"),
    "budget": ("All done, thank you", "This campaign has all the answers that it can pay for. Thank you!"),
    "closed": ("This campaign has ended", "The time of this campaign is over. What you have answered is kept. Thank you!"),
}
"""Why no item is offered: a title and a sentence."""


def campaign_json(store: Store, campaign: Campaign) -> dict[str, Any]:
    """What a campaign tells everybody who works in it."""
    return {
        "id": campaign.campaign_id,
        "title": "" if campaign.campaign_id == DEFAULT else campaign.title or campaign.campaign_id,
        "instructions": [
            *worked_example_nodes(form_of(campaign.questionnaire, campaign.definition)),
            *rich_texts(store, campaign.settings.instructions),
        ],
    }


def worked_example_nodes(form: Form) -> list[RichTextNode]:
    """Return the worked examples that a form brings, as nodes."""
    nodes: list[RichTextNode] = []
    for example in form.worked_examples:
        nodes.append({"tag": "h3", "children": [example.title]})
        nodes.append({"tag": "img", "children": [], "src": example.picture, "alt": example.title})
        nodes.append({"tag": "ul", "children": [{"tag": "li", "children": [line]} for line in example.lines]})
    return nodes


def rich_texts(store: Store, markdown: str) -> list[RichTextNode]:
    """A manager's text; pictures of the project by their hashes."""
    if "](item:" not in markdown:
        return _rich_text_without_pictures(markdown)

    def address(item_id: str) -> str | None:
        item = contents.item(store, item_id)
        return None if item is None or item.sha256 is None else at(f"/img/{item.sha256}")

    return rich_text_nodes(markdown, address)


@lru_cache(maxsize=64)
def _rich_text_without_pictures(markdown: str) -> list[RichTextNode]:
    return rich_text_nodes(markdown)


def consent_json(store: Store, campaign: Campaign, person: str) -> dict[str, Any] | None:
    """What this person has yet to agree to before they are shown anything; None: nothing."""
    consent_hash = management.consent_hash(campaign.settings)
    if consent_hash is None or management.has_consented(store, campaign.campaign_id, person, consent_hash):
        return None
    settings = campaign.settings
    return {
        "state": "consent",
        "text": consent_hash,
        "consent": rich_texts(store, settings.consent),
        "warning": rich_texts(store, settings.content_warning),
        "declined": completion_json(settings, "declined", worked=False),
    }


def campaign_choices(store: Store) -> list[dict[str, str]]:
    """The campaigns that somebody may choose from who was not invited to one; none where there is only the default one."""
    running = [
        campaign for campaign in management.listed(store) if campaign.state == "running" and campaign.campaign_id != DEFAULT
    ]
    if not running:
        return []
    default = management.get(store, DEFAULT)
    everything = [] if default is not None and default.state != "running" else [{"id": DEFAULT, "title": "All images"}]
    return [{"id": campaign.campaign_id, "title": campaign.title or campaign.campaign_id} for campaign in running] + everything


def progress_json(progress: CampaignProgress) -> dict[str, int]:
    return {"done": progress.done, "remaining": progress.remaining, "total": progress.done + progress.remaining}


def training_json(training: Training | None) -> dict[str, int] | None:
    """How somebody stands in training while it lasts."""
    if training is None or training.passed or training.failed:
        return None
    return {"right": training.right, "needed": training.needed, "left": training.left}


def no_item_json(store: Store, campaign: Campaign | None, next_tasks: NextTasks) -> dict[str, Any]:
    """Why no item is offered, and what to do."""
    trained = next_tasks.training is not None and (next_tasks.training.passed or next_tasks.training.failed)
    worked = next_tasks.progress.done > 0 or trained
    if campaign is None or next_tasks.closed is not None:
        closed = next_tasks.closed or "none"
        done = {}
        if campaign is not None:
            done = completion_json(campaign.settings, leaving_outcome(next_tasks, campaign.settings), worked=worked)
        title, message = _CLOSED[closed] if worked or closed not in _NOT_BEGUN else _NOT_BEGUN[closed]
        return {"state": "closed", "why": closed, "title": title, "message": message} | done
    if campaign.campaign_id == DEFAULT and contents.totals(store).images == 0:
        return {"state": "empty", "message": NO_IMAGES, "commands": next_steps.command_lines(store, next_steps.IMAGES)}
    done = completion_json(campaign.settings, leaving_outcome(next_tasks, campaign.settings), worked=worked)
    title, message = _DONE[(next_tasks.progress.remaining > 0, next_tasks.progress.done > 0)]
    return {"state": "done", "title": title, "message": message} | done


NO_IMAGES: Final = "There are no images in this project yet. Import some, and this page will offer them."
_OTHERS_AT_WORK: Final = (
    "Nothing is left for you at the moment: other people work on the last images. If one of them stops, this page offers you"
    " what they leave. Thank you!"
)
_DONE: Final = {
    # whether something is left that others hold, and whether they have answered anything
    (True, True): ("All done for now, thank you", _OTHERS_AT_WORK),
    (True, False): ("Others work on the last images", _OTHERS_AT_WORK),
    (False, False): (
        "Enough people have answered",
        "Enough people have answered already, so nothing is left for you. Thank you!",
    ),
    (False, True): (
        "All done, thank you",
        "Nothing is left for you: every image has been answered by you or by enough other people. Thank you!",
    ),
}


_OUTCOMES: Final[dict[ClosedReason, str]] = {
    "stopped": "stopped",
    "revoked": "paused",
    "paused": "paused",
    "withdrawn": "stopped",
    "training": "training",
    "closed": "stopped",
}


def leaving_outcome(next_tasks: NextTasks, settings: Settings) -> str:
    """Return the outcome (one of ``settings.OUTCOMES``) that the person gets if they leave now.

    Whoever reports more than they answer has stopped, whatever is left. Whoever has answered nothing where nothing is to be
    done has come for nothing (``quota``), also if the campaign was stopped meanwhile.
    """
    done = next_tasks.progress.done
    if next_tasks.closed in ("none", "draft"):
        return "completion"
    trained = next_tasks.training is not None and next_tasks.training.passed
    if next_tasks.closed in ("revoked", "paused", "withdrawn", "training"):
        return _OUTCOMES[next_tasks.closed]
    if not done and not trained and not next_tasks.tasks:
        return "quota" if not next_tasks.progress.reported else "stopped"
    if next_tasks.tasks or next_tasks.progress.reported > done:
        return "stopped"
    if next_tasks.closed is not None:
        outcome = _OUTCOMES.get(next_tasks.closed, "completion")
        return outcome if done or outcome != "completion" else "quota"
    others_hold_the_last = next_tasks.progress.remaining > 0 and settings.nothing_left == "items"
    return "completion" if done and not others_hold_the_last else "quota"


def record_departure(store: Store, campaign: Campaign, person: str, next_tasks: NextTasks, code: str) -> None:
    """Note how somebody leaves, and the code that they are shown; nothing where nobody is paid or nothing has begun."""
    if campaign.campaign_id != DEFAULT and next_tasks.closed not in ("none", "draft"):
        left = departures.Departure(leaving_outcome(next_tasks, campaign.settings), code, next_tasks.progress.done)
        departures.record(store, campaign.campaign_id, person, left)


def completion_json(settings: Settings, leaving: str, *, worked: bool) -> dict[str, str]:
    """Return the code and address, or the sentence, with which somebody returns to a crowd platform.

    ``leaving`` is their outcome (``settings.OUTCOMES``). The completion code is for people who have reached the end, after some
    work. Every other way has a code of its own, or none: a platform pays by the code, so people who failed the checks get the
    completion code only if the manager has written it there.
    """
    code, url, whole = str(getattr(settings, f"{leaving}_code")), settings.completion_url, settings.completion_code
    if leaving == "completion":
        return {name: value for name, value in {"code": code, "url": url}.items() if value and worked}
    if code:
        # platforms have the code in the address; without a completion code, it may be hidden there
        return {"code": code} | ({"url": url.replace(whole, code)} if url and whole else {})
    if not (whole or url):
        return {}
    return {"contact": _CONTACT if worked else _CAME_FOR_NOTHING} if worked or leaving == "quota" else {}


_CONTACT: Final = (
    "The completion code is only for people who reach the end. What you have answered is recorded. If you have a question about"
    " your payment, write to whoever invited you; on a crowd platform, send them a message there."
)


_CAME_FOR_NOTHING: Final = (
    "You have answered nothing here, so there is no code for you. On a crowd platform, please return the task."
)


def print_questionnaires(name: str | None, out: TextIO, err: TextIO) -> int:
    """Print the whole documentation, one questionnaire's, or that of a YAML file; returns the exit status.

    Every mistake of a file is a line of its own: whoever writes it wants to see all of them.
    """
    try:
        out.write(_questionnaire_text(name))
    except ValueError as error:
        for problem in error.problems if isinstance(error, InputError) else (error,):
            print(f"questionnaires: {printable(problem)}", file=err)
        return 1
    return 0


def _questionnaire_text(name: str | None) -> str:
    if name is None:
        return all_as_markdown()
    if not name.lower().endswith((".yaml", ".yml")):
        return as_markdown(registry.get(name))
    path = Path(name)
    return as_markdown(read(read_text(path), printable(path)))


_MOST_PREVIEWED: Final = 20
_NOBODY: Final = ""


def preview_json(store: Store, campaign_id: str) -> dict[str, Any] | None:
    """A campaign's form as people will see it, its first items; nothing is offered to anybody, and nothing is stored. None: no
    such campaign."""
    campaign = management.get(store, campaign_id)
    if campaign is None:
        return None
    items = {item.item_id: item for item in islice(_previewed(campaign, management.items(store, campaign_id)), _MOST_PREVIEWED)}
    tasks = campaign_items.tasks(store, [*items])
    trained = sum(items[task.item_id].role == "training" for task in tasks)
    return {
        "campaign": campaign_json(store, campaign),
        "consent": consent_json(store, campaign, _NOBODY),
        "training": training_json(Training.of(trained, 0, 0, campaign.settings.pass_mark)) if trained else None,
        "tasks": [item_form(store, campaign, task, _NOBODY).to_json() for task in tasks],
        "code": completion_json(campaign.settings, "completion", worked=True),
    }


def _previewed(campaign: Campaign, items: Sequence[CampaignItem]) -> Iterator[CampaignItem]:
    """A campaign's items as one person may meet them: training first, and checks among the others."""
    yield from (item for item in items if item.role == "training")
    ordinary = iter([item for item in items if item.role == "ordinary"])
    every = campaign.settings.check_every
    schedule = CheckSchedule(every, campaign.seed, campaign.campaign_id, _NOBODY) if every else None
    checks = iter([item for item in items if item.role in ("gold", "attention")])
    for n in count():
        check = next(checks, None) if schedule is not None and schedule.is_next(n) else None
        item = check or next(ordinary, None)
        if item is None:
            return
        yield item


def preview_feedback_json(store: Store, campaign_id: str, ticket: str, answers: Mapping[str, Any]) -> dict[str, Any] | None:
    """What somebody would be told who answered so; nothing is stored. ``right`` is null of items without a known answer. None:
    no such campaign, or no such item in it."""
    campaign, task = management.get(store, campaign_id), campaign_items.get_task(store, ticket)
    items = {item.item_id: item for item in management.items(store, campaign_id)}
    if campaign is None or task is None or task.item_id not in items:
        return None
    item = items[task.item_id]
    cleaned = clean(item_form(store, campaign, task, _NOBODY).questionnaire, answers)
    expected = item.expected or {}
    right = not wrong_answers(expected, cleaned) if item.role != "ordinary" else None
    return {"right": right, "feedback": feedback_json(cleaned, feedback_on(campaign.settings, item.role, expected, cleaned))}


def sentences() -> set[str]:
    """Every text of the form that the server sends and that is not a manager's or a questionnaire's: for its catalogue."""
    pairs = (*_CLOSED.values(), *_NOT_BEGUN.values(), *_DONE.values())
    return {text for pair in pairs for text in pair} | {_CONTACT, _CAME_FOR_NOTHING, NO_IMAGES, *REFUSALS.values()}

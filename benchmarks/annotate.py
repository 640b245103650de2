"""Our form against the same form of queued Gradio components: durable answers a second, and the wait from click to next prompt.

    uv run benchmarks/annotate.py [--clients 50 --answers 20 --rounds 3 --clicks 14] [--quick] [--json FILE]

Each side is a server of its own over a copy of the same project; its clients are in this process, its browser is Chromium.
Rounds take turns. In the end both servers are killed, so that only what was on disk is left, and both databases are asserted to
hold the same: every answer that was acknowledged, of the same item, by the same person, with the same judgements.

The wait from click to next prompt: The clock runs from the time stamp of the click (or of Enter) that submits. It stops in the
frame after the one in which all of this is true: another picture is there and decoded, the question is the one that belongs to
this picture, and its field is empty.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.request import ProxyHandler, build_opener

from playwright.sync_api import Browser, Page, sync_playwright

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import annotators
from benchmarks.annotators import Choose, Http, ItemQuestions, Loop, OurForm, QueuedForm, enter, work
from benchmarks.measuring import command_line, machine, percentile, planned, processor_seconds, written
from data.store.core.store import Store

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_THINKING_MS: Final = 400
"""Between two answers; people need seconds, which lets our form fetch the item after the next."""
_WATCH: Final = """
([marks, expected]) => {
  const one = (selector) => document.querySelector(selector);
  const name = () => one(marks.picture)?.src.split("?")[0].split("/").pop() ?? "";
  const stands = (before) => {
    const picture = one(marks.picture);
    return picture && name() !== before && picture.complete && picture.naturalWidth > 0
      && one(marks.question)?.textContent.trim().endsWith(expected[name()]) && one(marks.field)?.value === "";
  };
  window.nextPrompt = null;
  const submits = (event) => (marks.key ? event.key === marks.key : event.target.closest(marks.submit));
  document.addEventListener(marks.key ? "keydown" : "click", (event) => {
    if (!submits(event)) return;
    const before = name(), start = event.timeStamp;
    window.nextPrompt = new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error("no next prompt within 30 s")), 30_000);
      const look = async () => {
        if (!stands(before)) return;
        observer.disconnect();
        document.removeEventListener("load", look, true);
        await one(marks.picture).decode();
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
      };
      const observer = new MutationObserver(look);
      const all = { subtree: true, childList: true, attributes: true, characterData: true };
      observer.observe(document.documentElement, all);
      document.addEventListener("load", look, true);
    });
  }, true);
}
"""


@dataclass(frozen=True, slots=True)
class Marks:
    """CSS selectors of a form's parts; ``question`` and ``field`` are of the first count and of the list of objects."""

    picture: str
    question: str
    field: str
    submit: str
    answers: str
    """The choices of a question: ``{}`` stands for its id."""
    ready: str
    """Stands once answers are taken."""
    key: str = ""
    """Submits once all is answered; none: the button is clicked."""
    onward: str = ""
    """A key that leads from the list of objects to the next question, where they are asked one after another."""


OUR_MARKS: Final = Marks(
    ".cc-picture__image",
    "[data-question='count_0'] .cc-question__text",
    "[data-question='objects'] textarea",
    ".cc-form__bottom .cc-button--primary",
    "[data-question='{}'] input",
    ".cc-questions:not([inert])",
    onward="Enter",
)
QUEUED_MARKS: Final = Marks(
    "#picture img",
    "#count_0 [data-testid='block-info']",
    "#objects textarea",
    "#submit",
    "#{} input",
    "#submit",
)


@dataclass
class Clicker:
    """Somebody who answers that nothing is there."""

    page: Page
    marks: Marks
    expected: Mapping[str, str]
    answered: int = 0
    thinking: float = _THINKING_MS

    def start(self) -> None:
        """Call when the first item stands on the screen."""
        self.page.wait_for_selector(self.marks.picture)
        self.page.evaluate(_WATCH, [asdict(self.marks), dict(self.expected)])

    def click(self) -> float:
        """Answer, submit, and wait for the next prompt; the seconds from the click to it."""
        page, marks = self.page, self.marks
        page.wait_for_selector(marks.ready)
        page.locator(marks.field).fill("none")
        if marks.onward:
            page.locator(marks.field).press(marks.onward)
        for id_ in ("count_0", "count_1", "caption_fit"):
            choices = page.locator(marks.answers.format(id_))
            if choices.count() > 0 and choices.first.is_visible():
                choices.first.check(force=True)
        page.wait_for_timeout(self.thinking)
        if marks.key:
            page.keyboard.press(marks.key)
        else:
            page.locator(marks.submit).click()
        seconds: float = page.evaluate("window.nextPrompt")
        self.answered += 1
        return seconds / 1000


@contextmanager
def open_browser() -> Iterator[Browser | None]:
    """Chromium, None where there is none."""
    path = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if path is None:
        yield None
        return
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--disable-dev-shm-usage"])
        yield chromium
        chromium.close()


def _page(chromium: Browser, url: str) -> Page:
    context = chromium.new_context(base_url=url, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(30_000)
    # the submit button is there to be clicked on both sides: no answer submits by itself
    context.add_init_script("localStorage.setItem('concord.advance', '\"question\"')")
    return context.new_page()


def open_our_form(chromium: Browser, url: str, name: str, expected: Mapping[str, str], marks: Marks = OUR_MARKS) -> Clicker:
    """Our form with its first item of the benchmarks' campaign."""
    page = _page(chromium, url)
    page.goto(f"/annotate/?campaign={annotators.NAME}")
    page.get_by_role("textbox", name="Your name").fill(name)
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Enter")
    return _started(page, marks, expected)


def open_queued_form(chromium: Browser, url: str, name: str, expected: Mapping[str, str]) -> Clicker:
    """The queued form with its first item."""
    page = _page(chromium, url)
    page.goto("/")
    page.locator("#name textarea, #name input").fill(name)
    page.locator("#enter").click()
    return _started(page, QUEUED_MARKS, expected)


def _started(page: Page, marks: Marks, expected: Mapping[str, str]) -> Clicker:
    clicker = Clicker(page, marks, expected)
    clicker.start()
    return clicker


T = TypeVar("T")

ROOT: Final = Path(__file__).resolve().parents[1]
QUESTIONS: Final = (
    "objects", "count_0", "color_0", "realism_0", "count_1", "color_1", "realism_1", "position_x", "position_y", "caption_fit",
)  # fmt: skip
BROWSER_PERSON: Final = "at the browser"
_START_SECONDS: Final = 120


@dataclass(frozen=True, slots=True)
class AnnotatePlan:
    """``rounds`` times, each of ``clients`` sends ``answers`` answers to each side, then a browser clicks ``clicks`` times.

    ``limit`` is how many events of a kind Gradio's queue works on at once, 0: as many as come.
    """

    clients: int = 50
    answers: int = 20
    rounds: int = 3
    clicks: int = 14
    images: int = 500
    limit: int = 0


SMALL: Final = AnnotatePlan(clients=4, answers=3, rounds=1, clicks=2, images=12)


@dataclass(frozen=True, slots=True)
class FormWork:
    """Who answers what; ``browser`` is None where there is none."""

    names: Sequence[str]
    choose: Choose
    items: Sequence[ItemQuestions]
    browser: Browser | None


@dataclass
class FormSide:
    """One form: its server, the people at it, and what was measured; processor time is of servers and clients, in seconds."""

    name: str
    process: subprocess.Popen[bytes]
    port: int
    people: Sequence[OurForm | QueuedForm]
    clicker: Clicker | None = None
    loops: list[Loop] = field(default_factory=list)
    clicks: list[float] = field(default_factory=list)
    server_seconds: float = 0.0
    client_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class FormResult:
    """What is told of a side: answers a second (median of the rounds), milliseconds, processor milliseconds for one answer."""

    per_second: float
    rounds: list[float]
    p50: float
    p95: float
    server: float
    client: float
    click_p50: float | None
    click_p95: float | None


def together(work_: Coroutine[Any, Any, T]) -> T:
    """Run clients in a loop of their own: Playwright's runs in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work_).result()


def measure(side: FormSide, plan: AnnotatePlan) -> None:
    """One round."""
    before, own = processor_seconds(side.process.pid), time.process_time()
    side.loops.append(together(work(side.people, plan.answers)))
    side.server_seconds += processor_seconds(side.process.pid) - before
    side.client_seconds += time.process_time() - own
    if side.clicker is not None:
        side.clicks += [side.clicker.click() for _ in range(plan.clicks)]


def result_of(side: FormSide, plan: AnnotatePlan) -> FormResult:
    """A side's figures."""
    n = plan.clients * plan.answers
    waits = [1000 * wait for loop in side.loops for wait in loop.waits]
    rates = [n / loop.seconds for loop in side.loops]
    seen = [1000 * click for click in side.clicks]
    return FormResult(
        statistics.median(rates),
        rates,
        percentile(waits, 0.5),
        percentile(waits, 0.95),
        1000 * side.server_seconds / (n * plan.rounds),
        1000 * side.client_seconds / (n * plan.rounds),
        *((percentile(seen, share) if seen else None) for share in (0.5, 0.95)),
    )


@contextmanager
def served(line: Sequence[str | Path], path: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A server, from when it answers until it is killed."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    process = subprocess.Popen([sys.executable, *map(str, line), "--port", str(port)], cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        _wait(process, f"http://127.0.0.1:{port}{path}")
        yield process, port
    finally:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], url: str) -> None:
    opener = build_opener(ProxyHandler({}))
    for _ in range(10 * _START_SECONDS):
        if process.poll() is not None:
            raise RuntimeError(f"the server of {url} ended with status {process.returncode}")
        try:
            opener.open(url, timeout=10).close()
        except OSError:  # it does not listen yet, or has not read its project
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"{url} does not answer")


def ours(open_: ExitStack, project: Path, work_: FormWork) -> FormSide:
    """Concord itself."""
    line: list[str | Path] = ["app.py", "serve", "--no-browser", "--project", project]
    process, port = open_.enter_context(served(line, "/api/next"))
    people = [OurForm(name, annotators.NAME, work_.choose, Http(port)) for name in work_.names]
    side = FormSide("ours", process, port, people)
    if work_.browser is not None:
        expected = {questions.sha256: annotators.first_count(questions.questionnaire) for questions in work_.items}
        address = f"http://127.0.0.1:{port}"
        side.clicker = open_our_form(work_.browser, address, BROWSER_PERSON, expected)
    return side


def queued(open_: ExitStack, project: Path, pictures: Path, work_: FormWork, limit: int) -> FormSide:
    """The form of Gradio's components."""
    line: list[str | Path] = [
        "benchmarks/queued_form.py",
        project,
        "--campaign",
        annotators.NAME,
        "--pictures",
        pictures,
        "--limit",
        str(limit),
    ]
    process, port = open_.enter_context(served(line, "/config"))
    side = FormSide("queued", process, port, [QueuedForm(name, work_.choose, Http(port), QUESTIONS) for name in work_.names])
    if work_.browser is not None:
        expected = {questions.file: annotators.first_count(questions.questionnaire) for questions in work_.items}
        side.clicker = open_queued_form(work_.browser, f"http://127.0.0.1:{port}", BROWSER_PERSON, expected)
    return side


def run(folder: Path, plan: AnnotatePlan, browser: Browser | None) -> tuple[FormResult, FormResult, int]:
    """Measure both sides and compare what they stored; ours, theirs, and how many answers each has."""
    mine, other, pictures = folder / "ours", folder / "queued", folder / "pictures"
    with Store(mine) as store:
        annotators.make_campaign(store, pictures, plan.images, plan.clients + 1)
        items = annotators.questions_by_ticket(store, pictures)
    shutil.copytree(mine, other)
    names = [f"person {n:02}" for n in range(plan.clients)]
    work_ = FormWork(names, annotators.chooser(items), items, browser)
    with ExitStack() as open_:
        sides = ours(open_, mine, work_), queued(open_, other, pictures, work_, plan.limit)
        for side in sides:
            together(enter(side.people))
            together(work(side.people, 1))  # what only the first answer costs
            if side.clicker is not None:
                side.clicker.click()
        for _ in range(plan.rounds):
            for side in sides:
                measure(side, plan)
    n = compare([(side, project) for side, project in zip(sides, (mine, other), strict=True)], plan)
    return result_of(sides[0], plan), result_of(sides[1], plan), n


def compare(sides: Sequence[tuple[FormSide, Path]], plan: AnnotatePlan) -> int:
    """How many answers both databases hold, which is as many as were acknowledged.

    Raises:
        AssertionError: an acknowledged answer is missing, there is one too many, or the sides differ.
    """
    stored: list[list[annotators.Row]] = []
    for side, project in sides:
        rows, tickets = annotators.stored(project)
        acknowledged = {pair for person in side.people for pair in person.saved}
        there = {(row[1], tickets[row[0]]) for row in rows}
        at_browser = side.clicker.answered if side.clicker is not None else 0
        assert len(acknowledged) == plan.clients * (1 + plan.answers * plan.rounds)
        assert acknowledged <= there, f"{side.name}: {len(acknowledged - there)} acknowledged answers are missing"
        assert len(rows) == len(there) == len(acknowledged) + at_browser, f"{side.name}: {len(rows)} answers"
        assert all(row[2] == "valid" and row[4] for row in rows)
        stored.append(rows)
    assert stored[0] == stored[1], "the two sides stored different answers"
    return len(stored[0])


def lines_of(mine: FormResult, other: FormResult, n: int, plan: AnnotatePlan) -> list[str]:
    """The table."""
    ratio = mine.per_second / other.per_second

    def row(label: str, a: float, b: float, better: float, unit: str = "") -> str:
        return f"{label:52}{a:>9.1f}{unit:3}{b:>9.1f}{unit:3}{better:>8.2f}"

    lines = [
        f"{plan.clients} people at once, {plan.rounds} rounds of {plan.answers} answers each; {plan.images} images",
        f"shared with the clients: {machine('gradio')}",
        "",
        f"{'':52}{'ours':>12}{'queued':>12}{'ratio':>8}",
        row("durable answers a second (median of the rounds)", mine.per_second, other.per_second, ratio),
        row("answer to next item, median", mine.p50, other.p50, other.p50 / mine.p50, "ms"),
        row("answer to next item, 95 % under", mine.p95, other.p95, other.p95 / mine.p95, "ms"),
    ]
    if mine.server and other.server:
        lines += [
            row("the server's processor time for an answer", mine.server, other.server, other.server / mine.server, "ms"),
            row("the clients' processor time for an answer", mine.client, other.client, other.client / mine.client, "ms"),
        ]
    if mine.click_p50 and other.click_p50 and mine.click_p95 and other.click_p95:
        label = f"in Chromium: click to next prompt ({plan.clicks * plan.rounds} clicks)"
        lines += [
            row(f"{label}, median", mine.click_p50, other.click_p50, other.click_p50 / mine.click_p50, "ms"),
            row("in Chromium: 95 % under", mine.click_p95, other.click_p95, other.click_p95 / mine.click_p95, "ms"),
        ]
    return [*lines, "", f"both databases hold the same {n:,} answers; of those acknowledged none is missing"]


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Measure, print; the printed lines."""
    parser = command_line(__doc__)
    helps = {
        "clients": "people at once",
        "answers": "of each person in a round",
        "rounds": "of both sides in turn",
        "clicks": "in the browser in a round",
        "images": "of the campaign",
        "limit": "events of a kind that Gradio works on at once, 0: as many as come; its own default is 1",
    }
    parser.add_argument("--no-browser", action="store_true", help="leave the browser out")
    plan, options = planned(parser, AnnotatePlan(), SMALL, helps, arguments)
    with tempfile.TemporaryDirectory() as folder, nullcontext() if options["no_browser"] else open_browser() as browser:
        mine, other, n = run(Path(folder), plan, browser)
    figures = {"plan": asdict(plan), "ours": asdict(mine), "queued": asdict(other), "answers": n}
    return written(options, figures, lines_of(mine, other, n, plan))


if __name__ == "__main__":
    # whoever ends it ends its servers
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main()

"""From the click that submits until the next picture and its question stand on the screen, told by the page itself.

The clock runs from the click's own time stamp. It stops in the frame after the one in which all of this is true: another
picture is there and decoded, the question is the one that belongs to this picture, and its field is empty.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from playwright.sync_api import Browser, Page, sync_playwright

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_THINKING_MS: Final = 400
"""Between two answers; people need seconds, which lets our form fetch the item after the next."""
_WATCH: Final = """
([marks, expected]) => {
  const one = (selector) => document.querySelector(selector);
  const name = () => one(marks.picture)?.src.split("/").pop() ?? "";
  const stands = (before) => {
    const picture = one(marks.picture);
    return picture && name() !== before && picture.complete && picture.naturalWidth > 0
      && one(marks.question)?.textContent.trim().endsWith(expected[name()]) && one(marks.field)?.value === "";
  };
  window.nextPrompt = null;
  document.addEventListener("click", (event) => {
    if (!event.target.closest(marks.submit)) return;
    const before = name(), start = event.timeStamp;
    window.nextPrompt = new Promise((resolve) => {
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


OURS: Final = Marks(
    ".cc-picture__image",
    "[data-question='count_0'] .cc-question__text",
    "[data-question='objects'] textarea",
    ".cc-form__bottom .cc-button--primary",
    "[data-question='{}'] input",
)
QUEUED: Final = Marks(
    "#picture img",
    "#count_0 [data-testid='block-info']",
    "#objects textarea",
    "#submit",
    "#{} input",
)


@dataclass
class Clicker:
    """Somebody who answers that nothing is there."""

    page: Page
    marks: Marks
    expected: Mapping[str, str]
    answered: int = 0

    def start(self) -> None:
        """Call when the first item stands on the screen."""
        self.page.wait_for_selector(self.marks.picture)
        self.page.evaluate(_WATCH, [vars_of(self.marks), dict(self.expected)])

    def click(self) -> float:
        """Answer, submit, and wait for the next prompt; the seconds from the click to it."""
        page, marks = self.page, self.marks
        page.locator(marks.field).fill("none")
        for id_ in ("count_0", "count_1", "caption_fit"):
            choices = page.locator(marks.answers.format(id_))
            if choices.count() > 0 and choices.first.is_visible():
                choices.first.check(force=True)
        page.wait_for_timeout(_THINKING_MS)
        page.locator(marks.submit).click()
        took: float = page.evaluate("window.nextPrompt")
        self.answered += 1
        return took / 1000


def vars_of(marks: Marks) -> dict[str, Any]:
    return {name: getattr(marks, name) for name in ("picture", "question", "field", "submit")}


@contextmanager
def browser() -> Iterator[Browser | None]:
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


def ours(chromium: Browser, url: str, campaign: str, name: str, expected: Mapping[str, str]) -> Clicker:
    """Our form with its first item."""
    page = _page(chromium, url)
    page.goto(f"/annotate/?campaign={campaign}")
    page.get_by_role("textbox", name="Your name").fill(name)
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Enter")
    return _started(page, OURS, expected)


def queued(chromium: Browser, url: str, name: str, expected: Mapping[str, str]) -> Clicker:
    """The queued form with its first item."""
    page = _page(chromium, url)
    page.goto("/")
    page.locator("#name textarea, #name input").fill(name)
    page.locator("#enter").click()
    return _started(page, QUEUED, expected)


def _started(page: Page, marks: Marks, expected: Mapping[str, str]) -> Clicker:
    clicker = Clicker(page, marks, expected)
    clicker.start()
    return clicker

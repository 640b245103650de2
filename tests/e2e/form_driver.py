"""The annotation form driven by its keys alone."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

_INTRODUCE = """async (name) => {
    const body = JSON.stringify({ name });
    const answer = await fetch("/api/name", { method: "POST", body, headers: { "content-type": "application/json" } });
    // an answer that is not read to its end counts as broken off when the page is left
    await answer.text();
    return answer.ok;
}"""


def introduce(page: Page, name: str) -> None:
    """Give a name without a page that asks for one: any document of the app's will do."""
    page.goto("/favicon.ico")
    assert page.evaluate(_INTRODUCE, name)


class Form:
    """Nothing here touches the mouse."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.field = page.locator("[data-question='objects'] textarea")
        self.status = page.locator(".cc-form__status")
        self.count = page.locator(".cc-form__count")
        self.open_questions = page.locator(".cc-questions:not([inert])")

    def enter(self, name: str) -> None:
        """Open the form, and start under this name."""
        self.page.goto("/annotate/")
        self.start(name)

    def start(self, name: str) -> None:
        """Give a name where the form asks for one, and read the instructions."""
        name_field = self.page.get_by_role("textbox", name="Your name")
        expect(name_field).to_be_focused()
        self.type(name)
        self.press("Enter")
        expect(self.page.get_by_role("dialog")).to_be_visible()
        self.press("Enter")
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        self.ready()

    def ready(self) -> None:
        """A picture is here and nothing is answered yet."""
        expect(self.field).to_be_focused()
        expect(self.field).to_have_value("")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    def question(self, name: str) -> Locator:
        return self.page.locator(f"[data-question='{name}']")

    def active(self, name: str) -> None:
        expect(self.question(name)).to_have_class("cc-question is-active")
        expect(self.open_questions).to_be_visible()

    def said(self, name: str, answer: str) -> None:
        """Another question than the active one has been answered so."""
        expect(self.question(name).locator(".cc-question__answer")).to_have_text(answer)

    def objects(self, text: str) -> None:
        """Answer the first question and go on."""
        self.type(text)
        self.press("Enter")

    def two_objects(self, *, correct: bool = True, text: str = "two things") -> None:
        """All answers about a prompt "A to the left of B", up to the submit button."""
        self.ready()
        self.objects(text)
        self.active("count_0")
        self.press("1" if correct else "0")
        if correct:
            self.press("r", "y", "Enter", "3")
        self.press("1", "b", "Enter", "2")
        if correct:
            self.press("ArrowLeft", "n")
        self.active("caption_fit")
        self.press("4" if correct else "1")
        expect(self.page.get_by_role("button", name="Submit")).to_be_focused()

    def submit(self) -> None:
        self.press("Enter")

    def saved(self, done: str) -> None:
        expect(self.count).to_contain_text(done)
        expect(self.status).to_have_text("Saved")

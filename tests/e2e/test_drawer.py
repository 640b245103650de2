"""The drawer of Images: one image beside the grid, who is wrong by a key, and in Blind mode the form before all else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, Response, expect

from data.jobs.runs import Detection, Observation, Run
from data.records import Rater
from data.spec import parse_spec
from data.store import runs
from data.store.core.store import Store
from scorers.geneval import scorer
from tests.e2e import project_files
from tests.e2e.axe import serious
from tests.e2e.browser_watch import Visitor
from tests.e2e.form_driver import Form, introduce
from tests.e2e.project_files import HOSTILE
from tests.e2e.server import Server, serving
from tests.ui import drawn_images, small_project
from tests.ui.drawn_images import GENERATOR, RATER

Visit = Callable[..., Visitor]
SAVED = re.compile("^Saved")
_ATTACK = HOSTILE[0]


@pytest.fixture(scope="module")
def bench(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:  # noqa: ARG001 - none without it
    """Twelve pictures of the six tasks with evidence, and one in which every text is an attempt at an attack."""
    folder = tmp_path_factory.mktemp("bench")
    project = drawn_images.project(folder, each=2)
    attack(folder / "attack", project)
    with serving(project) as running:
        yield running


def attack(folder: Path, project: Path) -> None:
    """One picture and a scorer's evidence of it: prompt, object, labels and the scorer's name are hostile."""
    path = folder / "00900" / "samples"
    path.mkdir(parents=True)
    Image.new("RGB", (48, 48), "teal").save(path / "0000.png")
    spec = {"tag": _ATTACK, "include": [{"class": _ATTACK, "count": 1, "color": "red"}], "prompt": HOSTILE[4]}
    (folder / "00900" / "metadata.jsonl").write_text(json.dumps(spec), encoding="utf-8")
    small_project.done(project, "import", "images", folder, "--layout", "geneval", "--generator", "g")
    colors = (0.1,) * 10
    saw = Observation(
        "geneval/00900/g/0", {}, (Detection(_ATTACK, 0.9, (4, 4, 30, 30), None, colors), Detection("cup", 0.8, (1, 1, 9, 9)))
    )
    with Store(project) as store:
        run = Run("0009-x", "geneval", "1", "playground", drawn_images.SETTINGS)
        runs.add_run(store, run, Rater(HOSTILE[1], "scorer", None, "1", drawn_images.SETTINGS), "runs/none", 1)
        judged = scorer.SCORER.judge(parse_spec(spec), saw, drawn_images.SETTINGS).judgements
        runs.ingest(store, run.run_id, 0, [(saw, judged)], "1")


def item_id(number: int) -> str:
    return f"geneval/{number:05d}/{GENERATOR}/0"


def address(number: int, **more: str) -> str:
    """Of an image in Blind mode."""
    return "/studio/images?" + urlencode({"image": item_id(number), "blind": "1", **more})


@pytest.fixture
def page(visitor: Visit, bench: Server) -> Page:
    return visitor(bench).page


def enter(page: Page, name: str, number: int, **more: str) -> None:
    """Open an image under this name, with the focus outside the form."""
    introduce(page, name)
    page.goto(address(number, **more))
    expect(page.get_by_text(f"You answer as {name}")).to_be_visible()


def marks(page: Page) -> Locator:
    return page.locator(".cc-drawer .cc-mark:not(.cc-mark--weak)")


def pictured(page: Page, number: int) -> None:
    expect(page.locator(".cc-drawer__title h2")).to_have_attribute("title", item_id(number))


def nothing_there(form: Form) -> None:
    """Answer that nothing of what is asked is there, by keys, up to the submit button."""
    form.objects("nothing")
    while form.page.locator(".cc-question.is-active[data-kind=count]").count():
        form.press("0")
    form.active("caption_fit")
    form.press("1")
    expect(form.page.get_by_role("button", name="Submit")).to_be_focused()


def test_answering_blind_by_keys_and_going_on(visitor: Visit, bench: Server) -> None:
    one = visitor(bench)
    page, form = one.page, Form(one.page)
    answered: list[Response] = []
    page.on("response", lambda response: answered.append(response) if "/api/" in response.url and response.ok else None)
    page.goto(address(0))
    expect(page.get_by_role("heading", name="Hidden until you answer")).to_be_visible()
    page.keyboard.press("e")
    expect(page.get_by_role("textbox", name="Your name")).to_be_focused()
    form.type("Blinda")
    form.press("Enter")
    form.ready()
    nothing_there(form)
    assert marks(page).count() == 0
    bodies = [response.text() for response in answered]
    assert bodies
    assert not [body for body in bodies if "detections" in body or "confidence" in body or RATER in body]
    form.submit()
    expect(page.get_by_role("heading", name=SAVED)).to_contain_text("blind")
    expect(page.locator(".cc-evidence")).to_be_visible()
    expect(page.get_by_role("region", name="What people answered")).to_contain_text(re.compile("Blinda.*you"))
    expect(page.get_by_role("button", name="Next image")).to_be_focused()
    form.press("Enter")
    pictured(page, 1)
    form.ready()
    expect(page.get_by_role("heading", name="Hidden until you answer")).to_be_visible()
    assert [a["saw_evidence"] for a in bench.annotations("Blinda")] == [False]
    assert one.watch.posts.count("/api/submit") == 1
    assert "/api/studio/uncover" not in one.watch.posts


def test_uncovering_the_evidence(visitor: Visit, bench: Server) -> None:
    one = visitor(bench)
    page, form = one.page, Form(one.page)
    enter(page, "Una", 2)
    form.press("Enter")
    form.type("every empty eel")
    expect(form.field).to_have_value("every empty eel")
    assert "/api/studio/uncover" not in one.watch.posts
    form.press("Escape", "e", "e")
    assert "/api/studio/uncover" not in one.watch.posts, "in the form, letters are answers"
    form.press("Alt+e")
    expect(page.get_by_text("You uncovered this image before answering")).to_be_visible()
    expect(page.get_by_text("stored as not blind")).to_be_visible()
    expect(form.field).to_have_value("every empty eel")
    page.locator(".cc-question.is-active legend").click()
    while page.locator(".cc-question.is-active[data-kind=count]").count():
        form.press("0")
    form.press("1", "Enter")
    expect(page.get_by_role("heading", name=SAVED)).to_contain_text("not blind")
    assert [a["saw_evidence"] for a in bench.annotations("Una")] == [True]


def test_revising_after_seeing_leaves_the_blind_answer(page: Page, bench: Server) -> None:
    form = Form(page)
    enter(page, "Revo", 3)
    form.press("Enter")
    nothing_there(form)
    form.submit()
    expect(page.get_by_role("heading", name=SAVED)).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="You have answered this image")).to_contain_text("blind")
    expect(page.locator(".cc-evidence")).to_be_visible()
    page.get_by_role("button", name="Revise").click()
    expect(page.get_by_text("your first answer counts")).to_be_visible()
    expect(form.field).to_have_value("nothing")
    form.field.fill("something after all")
    page.get_by_role("button", name="Save change").click()
    expect(page.get_by_role("heading", name=SAVED)).to_be_visible()
    remaining = bench.annotations("Revo")
    assert [(a["saw_evidence"], a["superseded"]) for a in remaining] == [(False, False), (True, False)]


def test_boxes_rows_colours_and_zoom(page: Page) -> None:
    enter(page, "Looker", 6)
    page.keyboard.press("e")
    expect(page.locator(".cc-evidence")).to_be_visible()
    looked = page.locator(".cc-seen tbody tr:not(.is-weak)")
    count = looked.count()
    assert count >= 1
    expect(marks(page)).to_have_count(count)
    expect(marks(page).first.locator(".cc-mark__box")).to_be_visible()
    expect(page.locator(".cc-mark--weak .cc-mark__box").first).to_be_hidden()
    rank = marks(page).first.get_attribute("data-rank")
    marks(page).first.focus()
    expect(page.locator(f".cc-seen tr[data-rank='{rank}']")).to_have_class(re.compile("is-pointed"))
    masks = page.get_by_role("button", name="Masks")
    expect(masks).to_have_attribute("aria-pressed", "true")
    page.locator("body").press("m")
    expect(masks).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".cc-mark__mask").first).to_be_hidden()
    page.locator("body").press("z")
    large = page.get_by_role("dialog").locator(".cc-stage")
    expect(large.locator(".cc-mark__box").first).to_be_visible()
    box = large.bounding_box()
    assert box
    assert box["height"] > 600
    page.keyboard.press("z")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.locator("body").press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Keys of the drawer")
    page.keyboard.press("?")
    page.locator('.cc-verdicts [data-rater="clipscore-playground"]').click()
    expect(page.locator(".cc-range")).to_contain_text("of the other 11 images")
    expect(marks(page)).to_have_count(0)


def test_colours_and_offsets(page: Page) -> None:
    enter(page, "Painter", 10)
    page.keyboard.press("e")
    bars = page.get_by_role("list", name="How likely each colour is")
    expect(bars.get_by_role("listitem")).to_have_count(10)
    expect(bars.locator(".is-best")).to_have_count(1)
    expect(page.get_by_role("img", name=re.compile("alone, on grey"))).to_be_visible()
    for number in (8, 9):
        page.goto(address(number))
        page.get_by_role("button", name="Uncover").click()
        expect(page.locator(".cc-evidence")).to_be_visible()
        if page.locator(".cc-compass").count():
            expect(page.locator(".cc-check__figure")).to_contain_text("right and down positive")
            return
    pytest.fail("neither image has both objects of its relation")


def test_from_the_grid_to_the_failures_and_through_them(visitor: Visit, bench: Server) -> None:
    one = visitor(bench)
    page = one.page
    page.goto(f"/studio/images?suite=geneval&generator={GENERATOR}&rater={RATER}&order=lowest")
    cells = page.locator(".cc-cell")
    expect(cells).to_have_count(12)
    answers = [text.strip().removesuffix(" ≠") for text in page.locator(".cc-cell .cc-saying__value").all_text_contents()]
    assert answers == sorted(answers)
    assert "no" in answers
    failures = answers.count("no")
    expect(page.locator(".cc-cell-reason")).to_have_count(failures)
    expect(cells.first.locator(".cc-cell-reason")).to_contain_text("expected")
    texts = page.locator(".cc-cell-text").all_text_contents()
    cells.first.click()
    # opened at once, without a name and without the form, and recorded
    verdicts = page.get_by_role("list", name="Verdicts")
    expect(verdicts.locator(f'[data-rater="{RATER}"]')).to_contain_text("no")
    assert "/api/studio/open" in one.watch.posts
    heading = page.get_by_role("heading", level=2)
    expect(heading).to_have_text(texts[0])
    for key, index in (("j", 1), ("ArrowRight", 2), ("k", 1), ("Alt+n", 2), ("ArrowLeft", 1), ("Alt+p", 0), ("k", 0)):
        page.locator("body").press(key)
        expect(page.get_by_text(f"{index + 1} of 12", exact=True)).to_be_visible()
        expect(heading).to_have_text(texts[index])
        expect(page.locator(".cc-cell[aria-current]")).to_have_attribute("data-index", str(index))
    # the grid stays beside it; another image is a click
    expect(page).to_have_url(re.compile("order=lowest.*image="))
    cells.nth(3).click()
    expect(heading).to_have_text(texts[3])
    # one step back leads to the grid, however many images were looked at
    page.go_back()
    expect(heading).to_have_count(0)
    expect(page).to_have_url(re.compile(r"/studio/images\?.*order=lowest$"))
    page.go_forward()
    expect(heading).to_have_text(texts[3])
    page.keyboard.press("Escape")
    expect(heading).to_have_count(0)
    expect(page).not_to_have_url(re.compile("image="))
    expect(cells.nth(3)).to_be_focused()


def test_an_answer_given_offline_covers_until_it_is_saved(visitor: Visit, bench: Server) -> None:
    one = visitor(bench)
    page, form = one.page, Form(one.page)
    enter(page, "Tunnel", 4)
    form.press("Enter")
    nothing_there(form)
    one.watch.expected = lambda problem: "ERR_INTERNET_DISCONNECTED" in problem
    one.context.set_offline(True)
    form.submit()
    expect(form.status).to_contain_text("Not saved yet")
    form.press("Alt+e")
    expect(page.get_by_text("Your answer is still being saved.")).to_be_visible()
    one.context.set_offline(False)
    expect(page.get_by_role("heading", name=SAVED)).to_contain_text("blind")
    expect(page.locator(".cc-evidence")).to_be_visible()
    assert [a["saw_evidence"] for a in bench.annotations("Tunnel")] == [False]


def test_a_draft_survives_going_away(page: Page) -> None:
    form = Form(page)
    enter(page, "Drafter", 5)
    form.press("Enter")
    form.type("half an answer")
    form.press("Alt+n")
    pictured(page, 6)
    page.locator("body").press("p")
    pictured(page, 5)
    expect(form.field).to_have_value("half an answer")


def test_hostile_texts_are_inert(page: Page) -> None:
    page.goto(f"/studio/images?blind=1&image={quote('geneval/00900/g/0', safe='')}")
    page.get_by_role("textbox", name="Your name").fill("Careful")
    page.keyboard.press("Enter")
    expect(page.get_by_text("You answer as Careful")).to_be_visible()
    page.get_by_role("button", name="Uncover").click()
    expect(page.get_by_role("heading", level=2)).to_have_text(HOSTILE[4])
    expect(page.locator(".cc-evidence")).to_contain_text(_ATTACK)
    expect(page.locator(".cc-verdicts")).to_contain_text(HOSTILE[1])
    expect(page.locator(".cc-mark__text").first).to_have_text(f"{_ATTACK} 0.90")
    expect(page.locator(".cc-drawer__said")).to_contain_text(_ATTACK)
    assert page.locator("img[src='x']").count() == 0
    assert page.locator("script").filter(has_text="alert(1)").count() == 0


def test_an_image_that_is_not_there_is_said(visitor: Visit, bench: Server) -> None:
    one = visitor(bench)
    one.watch.expected = lambda problem: "404" in problem
    one.page.goto("/studio/images?image=no/such/image")
    expect(one.page.get_by_role("heading", name="This image cannot be shown")).to_be_visible()
    one.page.get_by_role("button", name="Close").first.click()
    expect(one.page.locator(".cc-cell").first).to_be_visible()
    expect(one.page).to_have_url(re.compile("/studio/images$"))


def test_addresses_of_the_workbench_lead_to_the_drawer(page: Page) -> None:
    for path in ("images/one", "workbench"):
        page.goto(f"/studio/{path}?{urlencode({'id': item_id(1), 'suite': 'geneval', 'shown': 'people'})}")
        pictured(page, 1)
        expect(page.get_by_role("list", name="Verdicts")).to_be_visible()
        expect(page).to_have_url(re.compile("/studio/images[?].*image="))


def test_in_blind_mode_the_grid_tells_nothing_and_what_it_has_told_is_not_blind(visitor: Visit, bench: Server) -> None:
    one = visitor(bench)
    page = one.page
    introduce(page, "Mina")
    page.goto("/studio/images?suite=geneval&task=counting&blind=1")
    cells = page.locator(".cc-cell")
    expect(cells).to_have_count(2)
    expect(page.locator(".cc-saying")).to_have_count(0)
    expect(page.locator('[data-facet="says"]')).to_have_count(0)
    cells.first.click()
    expect(page.get_by_role("heading", name="Hidden until you answer")).to_be_visible()
    page.locator("body").press("Escape")
    page.get_by_role("switch", name="Blind mode").first.click()
    page.get_by_label("Judged by", exact=True).select_option(RATER)
    expect(page.locator(".cc-saying").first).to_be_visible()
    page.get_by_role("switch", name="Blind mode").first.click()
    expect(page.locator(".cc-saying")).to_have_count(0)
    cells.nth(1).click()
    expect(page.get_by_text(f"You have seen what {RATER} says of this image")).to_be_visible()
    expect(page.get_by_text("stored as not blind")).to_be_visible()
    assert one.watch.posts.count("/api/studio/uncover") == 1
    assert "/api/studio/open" not in one.watch.posts


def test_a_queue_of_disagreements_is_judged_by_keys(visitor: Visit, tmp_path: Path) -> None:
    with serving(drawn_images.project(tmp_path, each=1)) as server:
        one = visitor(server)
        page = one.page
        scorer = {item["item_id"]: item["verdict"] for item in server.json("/api/studio/items", rater=RATER)["items"]}
        rows = [{"image": item_id(n), "who": "Ann", "said": "no" if scorer[item_id(n)] == "yes" else "yes"} for n in (0, 1, 2)]
        columns = ("--item", "image", "--rater", "who", "--value", "said")
        file = project_files.write_csv(tmp_path / "ann.csv", rows)
        server.run("import", "ratings", file, *columns, "--aspect", "correct", "--scale", "nominal", "--suite", "geneval")
        differ = [("differs", f"{RATER}:missed"), ("differs", f"{RATER}:passed")]
        page.goto(f"/studio/images?{urlencode(differ)}")
        expect(page.get_by_text("0 of 3 judged")).to_be_visible()
        expect(page.get_by_role("button", name="Judge these 3")).to_be_visible()
        page.locator("body").press("Enter")
        verdict = page.get_by_role("region", name="Verdict", exact=True)
        expect(verdict).to_contain_text(f"{RATER} is wrong")
        expect(verdict).to_contain_text("Ann is wrong")
        pictured(page, 0)
        # a name is asked for in place, at the first save alone
        page.wait_for_timeout(600)
        page.keyboard.press("1")
        field = page.get_by_role("textbox", name=re.compile("^Your name, asked once"))
        expect(field).to_be_focused()
        page.keyboard.type("Judith")
        page.keyboard.press("Enter")
        expect(page.locator(".cc-toast")).to_contain_text(f"Saved: {RATER} is wrong")
        pictured(page, 1)
        expect(page.get_by_text("2 of 3 · 1 judged")).to_be_visible()
        page.keyboard.press("u")
        pictured(page, 0)
        expect(page.get_by_text("1 of 3 · 0 judged")).to_be_visible()
        judged(page, "2", "Saved: Ann is wrong")
        pictured(page, 1)
        # what is judged while the app is away is saved when it is back
        page.wait_for_timeout(600)
        one.watch.expected = lambda problem: "ERR_INTERNET_DISCONNECTED" in problem
        one.context.set_offline(True)
        page.keyboard.press("3")
        expect(page.get_by_text("1 answer will be saved")).to_be_visible()
        one.context.set_offline(False)
        expect(page.locator(".cc-toast")).to_contain_text("Saved: Prompt unclear")
        page.keyboard.press("Escape")
        expect(page.get_by_text("2 of 3 judged")).to_be_visible()
        page.get_by_role("button", name="Judge this one").click()
        pictured(page, 2)
        judged(page, "1", f"Saved: {RATER} is wrong", last=True)
        page.keyboard.press("Escape")
        expect(page.get_by_text("All 3 are judged")).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("^Judge"))).to_have_count(0)
        assert server.json("/api/studio/items", verdict="none")["total"] == len(scorer) - 3
        expect(page.locator('[data-facet="verdict"]')).to_contain_text("a scorer was wrong")


def test_where_several_scorers_are_wrong_a_letter_says_which(visitor: Visit, tmp_path: Path) -> None:
    with serving(drawn_images.project(tmp_path, each=1)) as server:
        one = visitor(server)
        page = one.page
        listed = {item["item_id"]: item for item in server.json("/api/studio/items", rater=RATER)["items"]}
        rows = []
        for n in (0, 1):
            item = listed[item_id(n)]
            places = {name: item[name] for name in ("suite", "task", "generator")} | {"item": item_id(n)}
            asked = {"prompt": item_id(n).rsplit("/", 2)[0], "aspect": "correct", "target": "", "scale": "nominal", "seq": 0}
            other = "no" if item["verdict"] == "yes" else "yes"
            rows += [
                places | asked | {"rater": "second", "kind": "scorer", "identity": "", "value": item["verdict"]},
                places | asked | {"rater": "Ann", "kind": "human", "identity": "person", "value": other},
            ]
        server.run("import", "ratings", project_files.write_csv(tmp_path / "both.csv", rows))
        page.goto(f"/studio/images?{urlencode({'image': item_id(0)})}")
        verdict = page.get_by_role("region", name="Verdict", exact=True)
        expect(verdict).to_contain_text("A scorer is wrong")
        page.wait_for_timeout(600)
        page.keyboard.press("1")
        which = verdict.get_by_role("group", name="Which scorer?")
        expect(which.get_by_role("button")).to_have_count(2)
        # Escape closes the question, not the drawer
        page.keyboard.press("Escape")
        expect(which).to_be_hidden()
        page.keyboard.press("1")
        texts = which.get_by_role("button").all_inner_texts()
        page.keyboard.press("ab"[next(n for n, text in enumerate(texts) if "second is wrong" in text)])
        page.keyboard.type("Judith")
        page.keyboard.press("Enter")
        expect(page.locator(".cc-toast")).to_contain_text("Saved: second is wrong")
        # where the listing is about one of them, one key says so
        page.keyboard.press("Escape")
        page.get_by_label("Judged by", exact=True).select_option("second")
        page.locator(".cc-cell").nth(1).click()
        expect(verdict.get_by_role("button", name=re.compile("^1?second is wrong"))).to_be_visible()


def judged(page: Page, key: str, text: str, *, last: bool = False) -> None:
    """Press the key of a verdict as soon as the picture may be judged."""
    before = page.url
    expect(page.get_by_role("region", name="Verdict", exact=True)).to_be_visible()
    page.wait_for_timeout(600)
    page.keyboard.press(key)
    expect(page.locator(".cc-toast")).to_contain_text(text)
    if not last:
        expect(page).not_to_have_url(before)


def test_notes_verdicts_and_the_link(visitor: Visit, bench: Server) -> None:
    one = visitor(bench)
    page = one.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    enter(page, "Wanda", 5, suite="geneval", task="color_attr")
    page.keyboard.press("e")
    notes = page.get_by_role("region", name="Notes")
    expect(notes.get_by_text("None yet")).to_be_visible()
    page.keyboard.press("w")
    expect(notes.get_by_label("A note on this image")).to_be_focused()
    page.keyboard.type(HOSTILE[0])
    page.keyboard.press("Control+Enter")
    expect(notes.get_by_role("listitem")).to_contain_text(HOSTILE[0])
    expect(notes.get_by_label("A note on this image")).to_have_value("")
    expect(notes.get_by_label("A note on this image")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    expect(page.get_by_text("Link copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert "task=color_attr" in link

    verdicts = page.get_by_role("region", name="Verdict", exact=True)
    verdicts.get_by_text("Another verdict").click()
    verdicts.get_by_label("What is right").select_option("yes")
    verdicts.get_by_label("Who was wrong").select_option(label="the prompt, which is ambiguous")
    verdicts.get_by_label("Why").fill("two readings")
    verdicts.get_by_role("button", name="Save verdict").click()
    expect(verdicts.get_by_role("listitem")).to_contain_text("two readings")
    page.keyboard.press("t")
    tags = page.get_by_role("region", name="Tags")
    expect(tags.get_by_label("Tag", exact=True)).to_be_focused()
    page.keyboard.type("odd umbrella")
    page.keyboard.press("Enter")
    expect(tags.get_by_role("listitem")).to_contain_text("odd umbrella")
    history = page.get_by_role("region", name="History")
    history.get_by_text(re.compile("^History")).click()
    expect(history.get_by_role("listitem").last).to_contain_text("Wanda tagged: odd umbrella")
    assert serious(page) == []

    # somebody else, by the link: covered first, then the same notes
    other = visitor(bench).page
    enter(other, "Otto", 5)
    other.goto(link)
    pictured(other, 5)
    expect(other.get_by_role("region", name="Notes")).to_have_count(0)
    other.keyboard.press("e")
    expect(other.get_by_role("region", name="Notes").get_by_role("listitem")).to_contain_text(HOSTILE[0])
    expect(other.get_by_role("region", name="Notes").get_by_role("button", name="Change")).to_have_count(0)

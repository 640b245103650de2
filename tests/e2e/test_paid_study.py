"""A paid study at its full size: a pilot of 30 images by three people in their browsers, then 1,000 images by a crowd.

The manager works in the browser alone. The crowd answers over HTTP: good and careless people, some who fail the training,
some who stop or vanish, and more as long as something is left.
"""

from __future__ import annotations

import csv
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from data.campaigns import pace
from data.people import platform_pseudonym
from data.store.campaigns import monitoring
from tests.e2e.browser_watch import Visitor
from tests.e2e.crowd import Kind, Worker, truth
from tests.e2e.project_files import visor_folder
from tests.e2e.server import Server
from tests.ui.report_data import unpacked_data

Visit = Callable[..., Visitor]
IMAGES, GOLD, TRAINING, OVERLAP = 1000, 20, 5, 2


@pytest.mark.slow
def test_a_paid_study_of_a_thousand_images(
    visitor: Visit, fresh: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # nobody here takes a person's time, and whoever is quicker than that would be paused
    monkeypatch.setattr(pace, "FEWEST_TIMED", 10**9)
    monkeypatch.setattr(pace, "FEWEST_QUICK", 10**9)
    images = visor_folder(tmp_path / "alpha", range(IMAGES + GOLD + TRAINING))
    fresh.run("import", "images", images, "--layout", "visor", "--generator", "alpha")
    manager = visitor(fresh)
    manager.watch.expected = lambda problem: "401" in problem
    page = manager.page
    pilot(fresh)
    answered = [at_work(visitor(fresh).page, name, n) for name, n in (("ann", 30), ("bob", 30), ("cyd", 8))]
    assert answered == [30, 30, 8]
    page.goto("/studio/people?campaign=pilot")
    expect(page.get_by_text("68 of 90 answers")).to_be_visible()
    page.locator(".cc-place").get_by_role("link", name=re.compile("^People 3")).click()
    expect(page.get_by_role("row").filter(has_text="bob")).to_contain_text("30")
    changed(page)
    main_study(fresh)
    link = invitation(page)
    # a page that follows 2,700 answers as they come costs as much as they do; others are about that
    page.goto("/favicon.ico")
    workers = crowd(fresh, link)
    page.goto("/studio/people?campaign=main-study")
    wanted = IMAGES * OVERLAP
    expect(page.get_by_text(f"{wanted:,} of {wanted:,} answers")).to_be_visible()
    expect(page.get_by_text(f"{IMAGES:,} of {IMAGES:,} images have enough answers")).to_be_visible()
    assert monitoring.items_by_answer_count(fresh.store, "main-study") == {OVERLAP: IMAGES}
    people = paid(fresh, page, workers)
    reported(page, people)


def pilot(server: Server) -> None:
    """Thirty images with the quick questionnaire, three people each, all in one order."""
    made = server.run("campaigns", "create", "pilot", "--title", "Pilot", "--questionnaire", "yes_no", "--n", "30",
                      "--overlap", "3", "--order", "shared")  # fmt: skip
    assert "90 answers" in made
    server.run("campaigns", "start", "pilot")


def changed(page: Page) -> None:
    """A setting of a campaign that runs: what it means is said before it is saved."""
    page.get_by_role("link", name="Settings").click()
    overlap = page.get_by_label("People for each")
    expect(overlap).to_have_value("3")
    overlap.fill("4")
    expect(page.get_by_text("People for each: 30 answers more")).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("textbox", name="Your name").fill("rita")
    page.keyboard.press("Enter")
    expect(page.locator(".cc-toast")).to_contain_text("The settings are saved.")
    expect(page.get_by_text("4 people an image")).to_be_visible()


def at_work(page: Page, name: str, n: int) -> int:
    """Somebody in a browser of their own: ann looks, bob always says yes, and who has not reached the end pauses."""
    page.goto("/annotate/?campaign=pilot")
    page.get_by_role("textbox", name="Your name").fill(name)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Enter")
    count = page.locator(".cc-form__count")
    picture = page.locator(".cc-form__main .cc-picture img, .cc-form__main img").first
    for done in range(n):
        expect(count).to_contain_text(f"{done} of 30")
        expect(page.locator(".cc-questions:not([inert])")).to_be_visible()
        page.keyboard.press("y" if name == "bob" or truth(picture.get_attribute("src") or "") == "yes" else "n")
        page.keyboard.press("Enter")
    if n == 30:
        expect(page.get_by_role("heading", name="All done, thank you")).to_be_visible()
    else:
        expect(count).to_contain_text(f"{n} of 30")
        page.keyboard.press(".")
        expect(page.get_by_role("heading", name="Paused")).to_be_visible()
    return n


def main_study(server: Server) -> None:
    """A crowd campaign whose gold and training are what ann said in the pilot, with pay, codes and a consent text."""
    consent = server.project / "consent.md"
    consent.write_text("You may stop at any time.", "utf-8")
    codes = {name: f"CODE{n}" for n, name in enumerate(("completion", "stopped", "training", "paused", "quota", "declined"))}
    settings = {
        "title": "Main study", "questionnaire": "yes_no", "n": IMAGES, "overlap": OVERLAP, "limit": 60, "lease-minutes": 1,
        "instructions": "Look at *each* picture.", "consent": consent, "gold-from": "person ann", "gold-n": GOLD,
        "training-n": TRAINING, "pass-mark": 0.6, "check-every": 5, "currency": "GBP", "target-wage": 12,
        "item-price": "0.0333", "base-pay": "1.00", "platform-fee": 0.33,
    } | {f"{name}-code": code for name, code in codes.items()}  # fmt: skip
    options = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    made = server.run("campaigns", "create", "main-study", "--recollect", *options)
    assert f"{IMAGES * OVERLAP:,} answers" in made
    server.run("campaigns", "start", "main-study")


def invitation(page: Page) -> str:
    page.goto("/studio/people?campaign=main-study&tab=links")
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_text(re.compile("/join/"))
    expect(link).to_be_visible()
    found = re.search(r"/join/\S+", link.inner_text())
    assert found is not None
    return found[0]


def crowd(server: Server, link: str) -> list[Worker]:
    """Sixty people, and more while something is left; the last one comes when nothing is."""
    draw = random.Random(29)
    few: dict[Kind, int] = {"careless": 5, "failing": 3, "stopping": 6, "vanishing": 4}
    kinds: list[Kind] = [kind for kind, n in few.items() for _ in range(n)]
    kinds += ["good"] * (60 - len(kinds))
    draw.shuffle(kinds)
    workers = [Worker(server.url, link, f"worker{n:03}", kind, draw.randrange(8, 25)) for n, kind in enumerate(kinds)]
    last_round = time.monotonic()
    while True:
        at_hand = [one for one in workers if not one.over]
        for one in draw.sample(at_hand, len(at_hand)):
            one.work(draw, 10)
        if at_hand:
            last_round = time.monotonic()
        elif monitoring.coverage(server.store, "main-study").answers >= IMAGES * OVERLAP:
            break
        else:
            # what somebody held who vanished is offered again a minute later
            assert time.monotonic() - last_round < 120, "items are held by nobody at work"
            time.sleep(5)
            workers.append(Worker(server.url, link, f"more{len(workers):03}", "good", 0))
    workers.append(Worker(server.url, link, "late", "good", 0))
    workers[-1].work(draw, 1)
    return workers


def paid(server: Server, page: Page, workers: list[Worker]) -> int:
    """The file that the manager downloads: everybody's code is the one that they were shown, and sums are the page's."""
    page.get_by_role("link", name="Pay", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("Decisions and pay")).click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text("utf-8").splitlines()))
    by_person = {row["person"]: row for row in rows}
    outcomes = Counter(row["outcome"] for row in rows)
    assert {"completion", "stopped", "training", "paused", "quota", "left"} <= outcomes.keys()
    assert (outcomes["training"], outcomes["paused"], outcomes["stopped"]) == (3, 5, 6)
    secret = server.store.secret
    for one in workers:
        row = by_person.pop(platform_pseudonym(secret, "prolific", one.identifier))
        # only who vanished was shown none
        assert (one.code is None) == (one.kind == "vanishing" and row["outcome"] == "left"), row
        assert row["code"] == (one.code or ""), row
        assert row["outcome"] == "left" or row["code"], row
    assert not by_person
    by_outcome = {outcome: {row["code"] for row in rows if row["outcome"] == outcome} for outcome in outcomes}
    assert all(len(found) == 1 for found in by_outcome.values()), by_outcome
    assert len(set.union(*by_outcome.values())) == len(by_outcome), "a code for each way to leave"
    assert all(Decimal(row["base_pay"]) + Decimal(row["bonus"]) == Decimal(row["pay"]) for row in rows)
    pay, fee, cost = (sum(Decimal(row[column]) for row in rows) for column in ("pay", "fee", "cost"))
    assert pay + fee == cost
    expect(page.get_by_text(f"{pay:,} GBP pay, {fee:,} fees")).to_be_visible()
    return len(rows)


def reported(page: Page, people: int) -> None:
    """What the report says of people stands there without anybody having typed it."""
    page.goto("/studio/report?campaign=main-study")
    page.get_by_role("button", name="Make the report").click()
    with page.expect_download() as download:
        page.locator("#made").get_by_role("link", name="HTML", exact=True).click()
    html = Path(download.value.path()).read_text("utf-8")
    data = json.loads(unpacked_data(html))
    counted = {row["title"]: row["counted"] for row in data["recruitment"]}
    filled = {title for title, text in counted.items() if text}
    assert filled >= {
        "Number of workers", "How recruited", "Qualification", "Pay per item", "Pay per hour", "Other compensation",
        "Attention checks", "Instructions", "Consent",
    }, counted  # fmt: skip
    assert str(people) in counted["How recruited"]
    assert "0.0333 GBP" in counted["Pay per item"]

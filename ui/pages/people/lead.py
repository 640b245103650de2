"""The sentence of People: are they alike, and who needs a look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import htpy
from htpy import Element

from concord.campaigns.cards import CampaignCard
from concord.campaigns.crowd import Crowd, apart, main_crowd
from concord.common import reason_sentences, wording
from concord.common.base_path import at
from ui.components.addresses import page_address
from ui.components.dots import interval_text

_WORDS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def lead(cards: Sequence[CampaignCard], found: Sequence[Crowd], unnamed: int = 0) -> Element:
    """Return the place's head: sentence, what it is about, and the two ways to go on; `unnamed`: answers without a name."""
    main, rest = finding(found)
    if not found and unnamed:
        main, rest = f"{wording.count(unnamed, 'answer')} of people without names", "so nobody can be looked at alone"
    return htpy.header(class_="cc-lead")[
        htpy.div[htpy.h1[main, rest and htpy.span(class_="cc-rest")[" ", rest]], htpy.p(class_="cc-sub")[_about(cards, found)]],
        htpy.div(class_="cc-people-acts")[
            htpy.a(class_="cc-button", href=page_address("people/new"))["New campaign"],
            htpy.a(class_="cc-button cc-button--primary", href=at("/annotate/"))["Label images"],
        ],
    ]


def finding(found: Sequence[Crowd]) -> tuple[str, str]:
    """Return the finding about the crowd that gave most answers, and the number behind it: of people who have answered; of
    simulated people while nobody else has. Who needs a look is counted in all crowds."""
    running = [crowd for crowd in found if crowd.running] or list(found)
    answered = [(crowd, person) for crowd in running for person in crowd.people if not person.out and person.answers]
    simulated = all(person.simulated for _, person in answered)
    several = [(crowd, person) for crowd, person in answered if person.simulated == simulated]
    if not several:
        return "Nobody has answered yet", ""
    look = {person.name for _, person in several if person.needs_look}
    with_answers = [crowd for crowd in running if any(each is crowd for each, _ in several)]
    largest = main_crowd([crowd for crowd in with_answers if not crowd.everyday] or with_answers)
    people = [person for crowd, person in several if crowd is largest]
    names = {person.name for person in people}
    noun = "simulated person" if simulated else "person"
    needs = f"{_number(len(look))} {'needs' if len(look) == 1 else 'need'} a look"
    if len(names) == 1:
        first = f"One {noun} has answered" + _where(largest, found)
        return (f"{first}, and {needs}" if look else first), "one more makes agreement measurable"
    together = largest.together
    if together is None or together.value is None:
        reason = reason_sentences.text_or_none(together.reason) if together is not None else None
        main = f"{_number(len(names)).capitalize()} {_plural(noun, len(names))} have answered"
        return (f"{main}; {needs}" if look else main), f"agreement is not known: {reason}" if reason else ""
    many = f"{len(names):,} {_plural(noun, len(names))}"
    rest = f"{many} agree at α {wording.two(together.value)} {interval_text(together)}".rstrip() + _where(largest, found)
    different = {person.name for person in people if apart(person, largest)} - look
    alike = names - look - different
    if together.low is not None and together.low <= 0:
        main = f"{_number(len(names)).capitalize()} {_plural(noun, len(names))} do not agree beyond chance"
        return (f"{main}; {needs}" if look else main), rest
    verb = "answers" if len(alike) == 1 else "answer"
    main = f"{_number(len(alike)).capitalize()} {_plural(noun, len(alike))} {verb} alike"
    if different:
        main += f"; {_number(len(different))} {'differs' if len(different) == 1 else 'differ'} from the others"
    return (f"{main}; {needs}" if look else main), rest


def _where(crowd: Crowd, found: Sequence[Crowd]) -> str:
    """Return in which campaign people answered, where there are several crowds."""
    if len(found) < 2:
        return ""
    return f" in {crowd.title}" if crowd.campaign is not None else ", whose answers were brought in"


def _number(n: int) -> str:
    return _WORDS[n] if n < len(_WORDS) else f"{n:,}"


def _plural(noun: str, n: int) -> str:
    return noun if n == 1 else noun.replace("person", "people")


def _about(cards: Sequence[CampaignCard], found: Sequence[Crowd]) -> str:
    """Return what the sentence rests on, and what is missing."""
    if not found:
        return "Label some images yourself, or make a campaign and invite others; how far they agree stands here."
    answers = sum(person.answers for crowd in found for person in crowd.people)
    people = {person.name: person.simulated for crowd in found for person in crowd.people if person.answers}
    noun = "simulated person" if people and all(people.values()) else "person"
    running = [card for card in cards if card.state == "running" and not card.everyday]
    suites = sorted({crowd.topic.suite for crowd in found if crowd.topic is not None})
    text = f"{wording.count(answers, 'answer')} by {len(people):,} {_plural(noun, len(people))}"
    text += f" in {wording.count(len(running), 'running campaign')}" if running else ""
    text += f", about {wording.listed(suites)}" if suites else ""
    brought = next((crowd for crowd in found if not crowd.name), None)
    text += f"; {wording.count(len(brought.people), 'person')} brought in" if brought is not None and len(found) > 1 else ""
    text += "; everyday labelling beside" if running and any(card.everyday and card.crowd.people for card in cards) else ""
    short = sum(card.short for card in running)
    return text + (
        f". {wording.count(short, 'image')} {'has' if short == 1 else 'have'} fewer answers than asked for." if short else "."
    )

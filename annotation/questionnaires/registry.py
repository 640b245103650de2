"""The registry of questionnaires: each by its name, and all of them as Markdown, from the definitions that make the form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from annotation.questionnaires import ab, geneval, geneval_authors, tifa_likert, tifa_vqa, visor, worked_examples
from annotation.questionnaires.base import CANNOT_TELL_KEY, Condition, Question
from annotation.questionnaires.custom import read
from annotation.questionnaires.custom_question import KINDS
from annotation.questionnaires.form import Form
from data.aspects import CANNOT_TELL
from data.validation import did_you_mean

YES_NO: Final = replace(
    read(Path(__file__).with_name("yes_no.yaml").read_text(encoding="utf-8")), worked_examples=worked_examples.YES_NO
)
"""Whether the image shows what the prompt says: for prompts without specs."""

FORMS: Final[dict[str, Form]] = {
    form.name: form for form in (geneval.FORM, tifa_likert.FORM, tifa_vqa.FORM, visor.FORM, ab.FORM, YES_NO)
}


def get(name: str, definition: str | None = None) -> Form:
    """The questionnaire of this name; with the ``definition`` the user's own one (YAML), or GenEval's in its authors' words.

    Raises:
        ValueError: there is none of this name, or the definition is wrong.
    """
    if name == geneval_authors.NAME:
        return geneval_authors.form(definition)
    if definition is not None:
        return read(definition)
    if name not in FORMS:
        raise ValueError(f"there is no questionnaire {name!r}; {did_you_mean(name, [*FORMS, 'a YAML file of your own'])}")
    return FORMS[name]


EXAMPLE: Final = Path(__file__).with_name("example.yaml")

_INTRO: Final = f"""# Questionnaires

Made by `uv run app.py questionnaires` from the definitions that also make the form, check the answers and derive the
judgements: not to be edited by hand. `questionnaires NAME` prints one of them, `questionnaires FILE.yaml` one of your own.

Every answer has a key. `{CANNOT_TELL_KEY}` is “cannot tell” unless it says otherwise: an answer, which leaves what depends on
it open (reason `{CANNOT_TELL}`). That an image is blank is an answer, too, given once instead of all others about it; what
follows from it is said with each judgement. A question that is not shown is not answered, whatever a changed mind left in it.
"""

_CUSTOM: Final = f"""## One of your own

A YAML file. Each question has an `id`, a `kind` ({", ".join(f"`{kind}`" for kind in KINDS)}), a
`text`, and perhaps

- `help`: a line below it; `caption: true` shows the prompt's text with it; `optional: true`: may be left open;
  `cannot_tell: false` takes that answer away;
- `options` of `choice`, `multi`, `likert` (and `colors`, which offers all without): words, or maps with `value`, `label` and
  `key`. Keys that are not given are found: y and n, digits, then letters. The form's own keys cannot be taken;
- `shown_if`: earlier questions' ids, each with the answers of which one is needed, or `answered`;
- `aspect` and `target`: what is judged, and of what. Aspects that Concord knows have their scales (`quality` goes from 1 to 5,
  `present` is yes or no); any other name brings its own: nominal for a choice, ordinal in its options' order for a likert;
- `asked`: the answer or answers that mean yes, where yes or no is judged;
- `if_blank`: the answer that a blank image stands for;
- `each_image: true`, of a group or a pair: asked of every image, and judged of that image. In a pair the aspect `preference`
  (choices `left`, `right`, `both`, `none`) is judged by generator, whichever side it stood on.

`translations` shows the questionnaire in other languages: by language (`de`) a map from each text, as the form shows it, to its
translation: texts, helps, labels of options, headings and lines of instructions. A language needs all of them. Labels that
Concord brings (colors, relations, “The image is blank”) may be translated too. People see the language of their browser, or the
one that `?lang=de` asks for. What is stored is the same in every language: an option's `value`.

```yaml
translations:
  de:
    Does the image show the text?: Zeigt das Bild den Text?
    Yes: Ja
    No: Nein
```

Wrong files are refused, every mistake with the question's id.
"""


def all_as_markdown() -> str:
    """The whole documentation: every questionnaire, and how to write one."""
    example = EXAMPLE.read_text(encoding="utf-8")
    own = f"{_CUSTOM}\n```yaml\n{example}```\n\nThat file asks:\n\n{as_markdown(read(example), '###')}"
    return "\n".join([_INTRO, *(as_markdown(form) for form in FORMS.values()), own])


def as_markdown(form: Form, level: str = "##") -> str:
    """One questionnaire: what is asked with which keys and when, and what is derived."""
    questionnaire = form.build(form.example)
    shown = {"image": "one image", "group": "all images of a prompt together", "pair": "two images of a prompt"}
    lines = [f"{level} {form.name}", "", _plain(form.summary), ""]
    lines += [f"Shown: {shown[form.item_kind]}. Version {_plain(form.version)}, rules `{form.rule_version}`.", ""]
    for section in questionnaire.instructions:
        lines += [
            _plain(section.title) + ("" if section.title.endswith(("?", "?”")) else ":"),
            "",
            *(f"- {_plain(line)}" for line in section.lines),
            "",
        ]
    lines += [f"{level}# What {form.name} asks, of “{_plain(form.example.text)}”", ""]
    for number, question in enumerate(questionnaire.questions, 1):
        lines.append(f"{number}. {_plain(question.text)} (`{question.id}`)")
        lines += [f"   - {line}" for line in _details(question)]
    for blank in questionnaire.blanks:
        which = "it" if blank.member is None else f"image {blank.member + 1}"
        lines.append(f"- {_plain(blank.label)} (`{blank.id}`): `{blank.key}`, instead of all about {which}")
    lines += ["", f"{level}# What {form.name} judges", ""]
    if form.meanings:
        lines += ["| aspect | of | scale | rule |", "|---|---|---|---|"]
        for meant in form.meanings:
            # a vertical bar would end the cell
            scale = meant.scale.replace("|", "\\|")
            lines.append(f"| `{meant.aspect}` | {_plain(meant.target)} | `{scale}` | {_plain(meant.rule)} |")
    else:
        lines.append("Nothing: the answers are kept as they are.")
    return "\n".join(lines) + "\n"


def _details(question: Question) -> Iterator[str]:
    if question.help:
        yield _plain(question.help)
    if question.numbers is not None:
        n = question.numbers
        yield f"a number from {n.low:g} to {n.high:g} in steps of {n.step:g}"
    elif question.kind == "text":
        yield "free text"
    else:
        several = "several of: " if question.kind in ("colors", "multi") else ""
        yield several + ", ".join(f"`{option.key}` {_plain(option.label)}" for option in question.options)
    for value in question.alone:
        label = next(option.label for option in question.options if option.value == value)
        yield f"“{_plain(label)}” goes with no other"
    if question.shown_if:
        yield f"shown if {' and '.join(map(_condition, question.shown_if))}"
    notes = ["the prompt's text is shown with it"] if question.caption else []
    optional = "may be left open, and is asked on request" if question.on_request else "may be left open"
    notes += [optional] if question.optional else []
    notes += [] if question.cannot_tell else ["without “cannot tell”"]
    if notes:
        yield "; ".join(notes)


def _condition(condition: Condition) -> str:
    if condition.values is None:
        return f"`{condition.question}` is answered"
    *others, last = (_plain(str(value)) for value in condition.values)
    return f"`{condition.question}` is {', '.join(others)}{' or ' if others else ''}{last}"


def _plain(text: str) -> str:
    """Text as Markdown that means nothing but itself, on one line."""
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", " ".join(text.split()))

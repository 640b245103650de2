"""A made-up page of the form that GenEval's authors published: its ids and field names, other words, other pictures."""

from __future__ import annotations

import base64
import io
from pathlib import Path

from PIL import Image

COLORS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "gray")
FIT = {4: "<strong>4</strong> All of it.", 3: "<strong>3</strong> Nearly <em>all</em> of it.", 2: "<strong>2</strong> Little.",
       1: "<strong>1</strong> None of it."}  # fmt: skip
REAL = {3: "<strong>3</strong> As in life", 2: "<strong>2</strong> A bit off", 1: "<strong>1</strong> Broken"}


def picture(color: str = "red") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (600, 300), color).save(out, "PNG")
    return out.getvalue()


def data_address(content: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def choices(name: str, kind: str, labels: dict[str, str], checked: tuple[str, ...] = ()) -> str:
    return "\n".join(
        f'<label data-value="x"><input type="{kind}" name="{name}" value="{value}" {"checked" if value in checked else ""} />'
        f"{label}</label>"
        for value, label in labels.items()
    )


def asked(title: str, more: str, fields: str) -> str:
    return f'<div class="row"><strong>{title}</strong> {more}</div><div>{fields}</div>'


def counts(name: str, checked: tuple[str, ...] = ()) -> str:
    labels = {
        "0": "<strong>0</strong> Not one",
        **{str(n): f"<strong>{n}</strong>" for n in range(1, 5)},
        "5": "<strong>5</strong> and up",
    }
    return choices(name, "radio", labels, checked)


def about(k: int) -> str:
    name = f"<u>${{object_{k}_name_plural}}</u>"
    colors = {color: f"<strong>{color.capitalize()}</strong>" for color in COLORS}
    return (
        asked(f"Question {k + 2}a: Count the {name}.", "", counts(f"task-count-{k}"))
        + asked(f"Question {k + 2}b: Colour of the {name}?", "Tick each.", choices(f"task-color-{k}", "checkbox", colors))
        + asked(
            f"Question {k + 2}c: How lifelike are the {name}?",
            "",
            choices(f"task-real-{k}", "radio", {str(n): t for n, t in REAL.items()}),
        )
    )


def page(
    examples: str = "",
    fit: dict[int, str] | None = None,
    instructions: str = "<p>Look well:</p><ul><li>Take your time.</li></ul>",
) -> str:
    x = {"left": "To its left", "right": "To its right", "neither_x": "Neither"}
    y = {"above": "Over it", "below": "Under it", "neither_y": "Neither"}
    which = "the ${object_1_name} from the ${object_0_name}"
    levels = {str(n): t for n, t in (FIT if fit is None else fit).items()}
    return f"""<html><style>p {{}}</style><script>var x = "<div id='task-container'>";</script>
    <div id="instructions">{instructions}</div><div id="examplesHeading">Examples</div><div id="examples">{examples}</div>
    <form id="mturk_form"><input type="hidden" name="ee"/><div id="task-container"><img src="${{image_url}}"/>
    {asked("Question 1: Name all that you see,", "one by one.", '<textarea name="task-objects"></textarea><i>Please do.</i>')}
    {about(0)}{about(1)}
    {asked(f"Question 4a: Where is {which}?", "", choices("task-position-x", "radio", x))}
    {asked(f"Question 4b: How high is {which}?", "", choices("task-position-y", "radio", y))}
    {asked("Question 5: Does it fit? (1&ndash;4)", "<div>${caption}</div>", choices("task-quality", "radio", levels))}
    </div><textarea id="feedback" name="feedback"></textarea><input type="submit"/></form></html>"""


def example(address: str, number: int = 1) -> str:
    fit = choices(f"ex{number}-quality", "radio", {str(n): t for n, t in FIT.items()}, ("4",))
    return f"""<div id="example-{number}"><b>Example #{number}:</b><img src="{address}"/>
    {asked("Question 2a: Count the <u>cups</u>.", "", counts(f"ex{number}-count-0", ("2",)))}
    I marked <button><strong>2</strong></button> as there are two.
    {asked("Question 5: Does it fit?", "<div>two cups</div>", fit)} All is there.</div>"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path

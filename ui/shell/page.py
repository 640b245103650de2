"""The shell of Studio's pages: view from the address, controls, drawing, named outputs, links, live updates.

A page is a subclass of `Page`. It lays out its controls and outputs by name, says which view an address or the controls ask
for, what the controls offer then, and what is drawn of it. The shell connects these: it reads and writes the address, says
what of it there is not, draws again when a control or the project changes, opens links to the page itself in place, and says
what to do next where there is nothing to draw.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import asdict, dataclass, fields
from functools import wraps
from typing import Any, ClassVar, Final, Generic, TypeVar, cast

import gradio as gr
from gradio.blocks import BlockContext
from gradio.components import Component
from gradio.events import Dependency
from starlette.datastructures import QueryParams

from concord.common import live_updates
from concord.common.base_path import at
from concord.project import OpenProject
from ui.shell import controls
from ui.shell.changes import Drawn, named_changes, unless_current, value_after
from ui.shell.controls import Choice
from ui.shell.events import QUIET, listen
from ui.shell.followed_versions import POLL_SECONDS
from ui.shell.following import keep_current, version_signal
from ui.shell.html import clickable_html, event_data, html_component
from ui.shell.shared_drawing import SharedDrawing
from ui.shell.view import View, ignored

_OPENED: Final = "yes"
_FIRST_NUMBERS: Final = ThreadPoolExecutor(8, "first-numbers")
_SOON_S: Final = 0.5
"""Seconds for which a page's controls wait for its first numbers."""
_WHEN_SET: Final = (
    "async (state) => { for (let frame = 0; frame < 2; frame++) await new Promise((go) => {"
    " requestAnimationFrame(go); setTimeout(go, 1000); }); return state; }"
)
"""JavaScript that waits until all controls stand as the address asks: Gradio (6.31) sets them one by one, sliders a frame later
than the rest, and what is drawn in between would be drawn again. A page that nobody sees has no frames."""

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class _Part(Generic[V]):
    """What is drawn together: by which controls, into which outputs."""

    draw: Callable[[V], Iterator[Drawn | None]]
    controls: Sequence[str] | None
    outputs: Sequence[str]
    moves: live_updates.Moves
    seconds: float


class Page(Generic[V]):
    """A page of Studio.

    Attributes:
        title, path: in the navigation, and below ``/studio``.
        VIEW: the class of its views, if its controls have the names of the fields: from it follow ``path``,
            ``ADDRESS``, ``USUAL`` and, of a list with pages, ``HIDDEN``.
        ADDRESS: what its address may hold.
        USUAL: values that are left out of its address, by control.
        HIDDEN: what has no visible control, with its usual value; ``page``, of a list, is 1 again when a control is used.
        OFFERING: the controls whose use changes what others offer; None: all.
        DRAWN_BY: the controls that `draw` depends on; None: all.
        REPEATED: whether several values of a control stand in the address one by one, not with commas.
    """

    title: ClassVar[str]
    path: ClassVar[str]
    VIEW: ClassVar[Any] = None
    ADDRESS: ClassVar[Sequence[str]] = ()
    USUAL: ClassVar[Mapping[str, str]] = {}
    HIDDEN: ClassVar[Mapping[str, str]] = {}
    OFFERING: ClassVar[Sequence[str] | None] = None
    DRAWN_BY: ClassVar[Sequence[str] | None] = None
    REPEATED: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if view := vars(cls).get("VIEW"):
            usual = {field.name: str(field.default) for field in fields(view)}
            cls.path, cls.ADDRESS = view.PATH, tuple(usual)
            cls.USUAL = {name: value for name, value in usual.items() if value}
            cls.HIDDEN = {name: value for name, value in usual.items() if name == "page"}

    def __init__(self, store: OpenProject) -> None:
        self.store = store
        self.controls: dict[str, Any] = {}
        self.outputs: dict[str, Any] = {}
        self.fields: dict[str, Any] = {}
        self._parts: list[_Part[V]] = []
        self._links: list[tuple[gr.HTML, str]] = []

    # what a page says

    def lay_out(self) -> None:
        """Its controls and outputs, in the order in which they stand."""

    def choices(self, values: Mapping[str, Any]) -> Mapping[str, Choice]:  # noqa: ARG002 - a page without controls offers nothing
        """By control what it offers, and the nearest to what is asked for."""
        return {}

    def view(self, values: Mapping[str, Any]) -> V:
        """What is asked for by the names of the controls, as far as there is such a thing."""
        return cast(V, self.VIEW.chosen(self.choices(values), values) if self.VIEW else None)

    def offer(self, view: V) -> Mapping[str, Any]:
        """By control what it offers in a view, as a `Choice` or a change that Gradio takes."""
        return self.choices(asdict(view) if isinstance(view, View) else {})

    def draw(self, view: V) -> Iterator[Drawn | None]:  # noqa: ARG002 - a page may be drawn in parts alone
        """What is shown: quickly first, the rest later. None: there is nothing to show, and `teaching` says what to do."""
        yield {}

    def teaching(self) -> str:
        """What to do where there is nothing to show, as Markdown."""
        return ""

    def read(self, query: QueryParams) -> dict[str, Any]:
        """What an address asks for, by the names of the controls."""
        return {name: query.get(name) for name in self.controls}

    def followed(self, view: V, wanted: Mapping[str, str]) -> dict[str, str]:  # noqa: ARG002 - for pages that follow more
        """Return the address parameters that this view honours."""
        values = {name: getattr(view, name, "") for name in self.ADDRESS}
        offered = {
            name: change.control() if isinstance(change, Choice) else change for name, change in self.offer(view).items()
        }
        chosen = {name: change["value"] for name, change in offered.items()}
        return {name: ",".join(value) if isinstance(value, list) else str(value) for name, value in (values | chosen).items()}

    def state(self, view: V) -> str:  # noqa: ARG002 - most pages have one state
        """Return a token that must match before drawing, so that no page is drawn while dependent controls still change."""
        return _OPENED

    def moves(self) -> live_updates.Moves:
        """Return the version that triggers a redraw."""
        return live_updates.version

    # layout

    def build(self) -> None:
        """The page's components and events, in the Gradio app that is being made."""
        name = self.path.strip("/") or "overview"
        # set when the page has read its address: what is drawn before would be nobody's choice
        self.opened = gr.Textbox("", visible="hidden", elem_id=f"{name}-opened")
        self.notice = gr.HTML(elem_id="ignored")
        self.teaching_text = gr.Markdown(self.teaching(), visible=False, elem_id="teaching")
        # until its first numbers are there only controls are in view: nothing that one sees is pushed away (studio.css)
        with gr.Column(elem_classes="cc-opening") as self.content:
            self.lay_out()
        for hidden, usual in self.HIDDEN.items():
            self.controls[hidden] = gr.Textbox(usual, visible="hidden", elem_id=f"{name}-{hidden}")
        self.connect()

    def __getitem__(self, name: str) -> Any:
        """A component by its name."""
        return {**self.fields, **self.outputs, **self.controls}[name]

    @staticmethod
    def bar(**options: Any) -> gr.Row:
        """A row of controls."""
        return gr.Row(elem_classes="cc-filters", **options)

    def control(self, name: str, component: Component) -> Any:
        """A control of this name in the address."""
        self.controls[name] = component
        return component

    def dropdown(self, name: str, label: str, choices: Sequence[Any] = (), value: str | None = None) -> Any:
        """A dropdown as a control."""
        return self.control(name, controls.dropdown(label, choices, value))

    def dropdowns(self, **labels: str) -> None:
        """A bar of dropdowns as controls, by their names."""
        with self.bar():
            for name, label in labels.items():
                self.dropdown(name, label)

    def radio(self, name: str, label: str, titles: Mapping[str, str]) -> Any:
        """Radio buttons as a control, the first of them chosen; ``titles`` by value."""
        choices = [(title, value) for value, title in titles.items()]
        return self.control(name, gr.Radio(choices, value=choices[0][1], label=label, elem_id=name))

    def field(self, name: str, component: Component | BlockContext) -> Any:
        """What is neither in the address nor drawn, such as a field or a button of a form."""
        self.fields[name] = component
        return component

    def output(self, name: str, component: Component | BlockContext) -> Any:
        """An output of this name."""
        self.outputs[name] = component
        return component

    def html(self, name: str, **options: Any) -> gr.HTML:
        """HTML as an output; its first ``value`` is an element."""
        made: gr.HTML = self.output(name, html_component(options.pop("value", ""), elem_id=name, **options))
        return made

    def clickable(self, name: str) -> gr.HTML:
        """The same, whose ``select`` event brings the ``data-`` of what was clicked."""
        made: gr.HTML = self.output(name, clickable_html(name))
        return made

    def links(self, name: str, target: str = "", js: str = "") -> gr.HTML:
        """The same, whose links to this page open their view in place; then the page scrolls to ``target``, or runs ``js``."""
        made = self.clickable(name)
        scroll = f"() => document.getElementById('{target}')?.scrollIntoView({{behavior: 'smooth', block: 'start'}})"
        self._links.append((made, js or scroll))
        return made

    def part(
        self,
        draw: Callable[[V], Iterator[Drawn | None]],
        outputs: Sequence[str],
        *,
        by: Sequence[str] | None = None,
        moves: live_updates.Moves = live_updates.version,
        seconds: float = POLL_SECONDS,
    ) -> None:
        """Outputs that are drawn apart from the rest, by some of the controls, or following something else than the project."""
        self._parts.append(_Part(draw, by, outputs, moves, seconds))

    # events

    def connect(self) -> None:
        """All events; a page with more of them extends this."""
        apart = {name for part in self._parts for name in part.outputs}
        rest = [name for name in self.outputs if name not in apart]
        main = _Part(self.draw, self.DRAWN_BY, rest, self.moves(), POLL_SECONDS)
        for part in (main, *self._parts):
            names = [*self.controls] if part.controls is None else part.controls
            inputs = [self.opened, *(self.controls[name] for name in names)] if self.controls else []
            shell = [self.teaching_text, self.content] if part is main else []
            outputs = [*shell, *(self.outputs[name] for name in part.outputs)]
            drawing = self._drawing(part, names, len(shell))
            shared = SharedDrawing(self.store, drawing)
            if part is main:
                self._main = (drawing, inputs, outputs)
                if self.controls:
                    self._connect_controls(shared, names, outputs)
            keep_current(self.store, shared, inputs, outputs, moves=part.moves, seconds=part.seconds)

    def _connect_controls(
        self, drawing: SharedDrawing, drawn_by: Sequence[str], outputs: Sequence[Component | BlockContext]
    ) -> None:
        every, moves = [*self.controls.values()], self.moves()

        def opened(request: gr.Request) -> list[Any]:
            # of before: what comes meanwhile is drawn then
            version = moves(self.store)
            *changes, notice, state = self._open(request)
            values = dict(zip(self.controls, map(value_after, every, changes), strict=True))
            texts = self._texts(drawing, [state, *(values[name] for name in drawn_by)], outputs)
            return [*changes, notice, state, version, *texts]

        opening, signal = gr.Textbox("", visible="hidden"), version_signal(moves)
        first = gr.on(None, opened, None, [*every, self.notice, opening, signal, *outputs], queue=False, **QUIET)
        first.then(None, opening, self.opened, js=_WHEN_SET)
        using = [name for name in self.controls if name not in self.HIDDEN]
        offering = [self.controls[name].input for name in (using if self.OFFERING is None else self.OFFERING)]
        if offering:
            listen(offering, self.choose, every, every, queue=False, **QUIET)
        self.write_address()
        # the choices grow with the project, too
        keep_current(self.store, self._offer, [self.opened, *every], every, signal=signal, moves=moves)
        for links, js in self._links:
            links.select(self._pick, None, every, queue=False, **QUIET).then(None, js=js)

    def write_address(self) -> None:
        """The address follows the controls, in the browser."""
        names = [name for name in self.controls if name in self.ADDRESS]
        written = [self.controls[name] for name in names]
        options = json.dumps({"usual": {**self.USUAL, **self.HIDDEN}, "repeated": self.REPEATED})
        js = (
            f"(...values) => {{ import('{at('/assets/js/address.js')}').then((m) =>"
            f" m.write({json.dumps(self.path)}, {json.dumps(names)}, values, {options})); return []; }}"
        )
        for control in written:
            control.change(None, written, None, js=js)

    def on(
        self,
        event: Callable[..., Dependency],
        act: Callable[..., Drawn],
        inputs: Sequence[str] = (),
        outputs: Sequence[str] = (),
        **how: Any,
    ) -> Dependency:
        """Call a function after an event, with named inputs; it gives named outputs, of which it may leave out some."""

        @wraps(act)
        def named(*values: Any, **rest: Any) -> Any:
            updates = self.named(outputs, act(*values, **rest))
            return updates if len(updates) != 1 else updates[0]

        return event(named, [self[name] for name in inputs], [self[name] for name in outputs], **(QUIET | how))

    def teach(self, nothing: bool) -> list[Any]:
        """The changes that show what to do where there is nothing to show, or else the page's content."""
        text = gr.Markdown(self.teaching(), visible=True) if nothing else gr.Markdown(visible=False)
        return [text, gr.Column(visible=not nothing, elem_classes=[])]

    def named(self, outputs: Sequence[str], drawn: Drawn) -> list[Any]:
        """Changes to outputs in this order, as Gradio takes them."""
        return named_changes({name: self[name] for name in outputs}, drawn)

    def by_name(self, values: Sequence[Any]) -> dict[str, Any]:
        """The controls' values by name."""
        return dict(zip(self.controls, values, strict=False))

    def open(self, view: V) -> list[Any]:
        """The changes to all controls that show a view."""
        hidden = {name: str(getattr(view, name)) for name in self.HIDDEN}
        return named_changes(self.controls, {**self.offer(view), **hidden})

    def _open(self, request: gr.Request) -> list[Any]:
        query = request.query_params
        view = self.view(self.read(query))
        wanted = {name: ",".join(query.getlist(name)) for name in query}
        return [*self.open(view), ignored(wanted, self.followed(view, wanted)), self.state(view)]

    def _texts(self, drawing: SharedDrawing, values: Sequence[Any], outputs: Sequence[Component | BlockContext]) -> list[Any]:
        """Return the first numbers of a view, which come with its controls if they are made soon."""
        steps = drawing.drawn(self.moves()(self.store), values)
        try:
            drawn = _FIRST_NUMBERS.submit(copy_context().run, lambda: next(steps, None)).result(_SOON_S)
        except Exception:  # late or wrong: it is drawn when the controls stand, and says then what is wrong
            drawn = None
        if drawn is None:
            return [gr.skip()] * len(outputs)
        return list(drawn)

    def after(self, event: Dependency) -> None:
        """Draw at once what an act has changed."""
        every = [*self.controls.values()]
        draw, inputs, outputs = self._main
        event.then(self.choose, every, every, queue=False, **QUIET).then(draw, inputs, outputs, **QUIET)

    def changes(self, values: Sequence[Any], **chosen: Any) -> dict[str, Any]:
        """The controls after one of them has been used, some of them ``chosen`` anew."""
        hidden = {name: chosen[name] for name in chosen.keys() & self.HIDDEN.keys()}
        return self.unless_set(values, {**self.offer(self.view(self.by_name(values) | chosen)), **hidden})

    def unless_set(self, values: Sequence[Any], offered: Mapping[str, Any]) -> dict[str, Any]:
        """Changes to the controls, without values that they have: set again they would undo a click made meanwhile."""
        every = [*self.controls.values()]
        return dict(
            zip(self.controls, unless_current(every, values, every, named_changes(self.controls, offered)), strict=True)
        )

    def choose(self, *values: Any) -> list[Any]:
        """What `changes` gives, in the order of the controls; another list begins with its first page."""
        return [*self.changes(values, **({"page": "1"} if "page" in self.HIDDEN else {})).values()]

    def _offer(self, opened: str, *values: Any) -> Iterator[list[Any]]:
        # a slow page asks before it has been opened: what it says then is nobody's choice
        yield named_changes(self.controls, self.offer(self.view(self.by_name(values))) if opened else {})

    def _pick(self, event: gr.EventData) -> list[Any]:
        return self.open(self.view(self.read(QueryParams(event_data(event).get("query", "")))))

    def _drawing(self, part: _Part[V], names: Sequence[str], shell: int) -> Callable[..., Iterator[list[Any]]]:
        shown = {name: self.outputs[name] for name in part.outputs}

        def draw(opened: str = "", *values: Any) -> Iterator[list[Any]]:
            view = self.view(dict(zip(names, values, strict=True))) if opened or not self.controls else None
            if self.controls and (view is None or opened != self.state(view)):
                yield [gr.skip()] * (shell + len(shown))
                return
            drawn: Drawn = {}
            for made in part.draw(view):  # type: ignore[arg-type]
                # of yields that follow at once Gradio shows only the last (6.31): each holds what those before it gave
                drawn = {**drawn, **(made or {})}
                yield [*self.teach(made is None)[:shell], *named_changes(shown, drawn)]

        return draw

"""Campaigns: make one, invite, watch coverage, pace and people, and decide who was wrong; followed live."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

import gradio as gr

from concord.common.base_path import at
from data.people import LINK_DAYS, ROLES
from ui.components.tables import heading, note
from ui.pages.campaigns import adjudicate, change, forms, pay, people, updates
from ui.pages.campaigns.forms import MARKS
from ui.pages.campaigns.updates import message_update
from ui.pages.campaigns.view import ADDRESS, ANY, PATH, SHOWN, ActingUser, CampaignsView, acting_user
from ui.shell.changes import Drawn
from ui.shell.events import QUIET, listen
from ui.shell.following import keep_current
from ui.shell.html import clickable_html, event_data, html_component, rendered
from ui.shell.page import Page

# the session's cookie is set by the same route that the form asks for a name
_GIVE_NAME: Final = """async (name, ...rest) => {
  const answer = await fetch('ADDRESS', {
    method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify({name}),
  });
  if (!answer.ok) alert((await answer.json()).detail);
  return [name, ...rest];
}"""


# the focus leaves the link of the case, where Enter would open it again instead of saving
_FOLLOW: Final = """() => {
  const opened = document.getElementById('case');
  if (!opened) return;
  opened.tabIndex = -1;
  opened.focus({preventScroll: true});
  opened.scrollIntoView({behavior: 'smooth', block: 'start'});
}"""
_MOVES: Final = (*updates.MOVES, "delete")
_CASE: Final = ("naming", "case-html", "ruling", "verdict", "wrong", "rater", "remark", "deciding")
"""What an opened case is drawn in."""
_INVITE: Final = ("role", "days", "uses", "link-note", "signed")


class CampaignsPage(Page[CampaignsView]):
    """The page; its address holds the campaign and what is shown of it."""

    title, path, ADDRESS = "Campaigns", PATH, ADDRESS

    def lay_out(self) -> None:
        self.links("campaigns")
        with self.buttons():
            self.dropdown("campaign", "Campaign", [("none", "")], "")
            self.button("campaign-new", "New campaign", variant="primary", min_width=160)
        self._lay_out_making()
        self.message = self.field("message", gr.HTML(visible=False, elem_id="campaign-message"))
        with self.output("campaign-panel", gr.Column(visible=False, elem_id="campaign")):
            self.html("campaign-title")
            self.links("health")
            with self.buttons():
                for name in _MOVES:
                    self.output(f"campaign-{name}", gr.Button(name.title(), min_width=90, elem_id=f"campaign-{name}"))
                self.button("campaign-duplicate", "Duplicate", min_width=90)
            self.radio("show", "Show", SHOWN)
            self.dropdown("about", "About")
            for name in SHOWN:
                with self.output(f"part-{name}", gr.Column(visible=name == "coverage", elem_id=f"part-{name}")):
                    self._lay_out_part(name)
        # who looks: nobody until the page has read that
        self.who = gr.State(None)

    def buttons(self, **options: Any) -> gr.Row:
        """A row of buttons."""
        return gr.Row(elem_classes="cc-filters cc-run-row", **options)

    def button(self, name: str, text: str, **options: Any) -> gr.Button:
        """A button as a field."""
        made: gr.Button = self.field(name, gr.Button(text, elem_id=name, **options))
        return made

    def _lay_out_making(self) -> None:
        with self.field("form", gr.Column(visible=False, elem_id="campaign-form", elem_classes="cc-pair")):
            html_component(heading("New campaign"))
            with self.buttons():
                for name in forms.PRESETS:
                    self.button(f"preset-{name.lower()}", name, min_width=90)
            html_component(note(forms.PRESET_HINT))
            self.making = forms.create_form()
            self.field("preview", gr.HTML(elem_id="campaign-preview"))
            with self.buttons():
                self.button("campaign-make", "Create draft", variant="primary", interactive=False)
                self.button("campaign-cancel", "Close")
        self.fields |= {f"new-{name}": component for name, component in self.making.items()}

    def _lay_out_part(self, part: str) -> None:
        if part == "coverage":
            self.html("coverage")
            with gr.Row():
                self.plot("by-answers", visible=False)
                self.plot("by-time", visible=False)
            self.html("apart")
        elif part == "people":
            with self.field("revoking", self.buttons(visible=False, elem_id="revoke-confirm")):
                self.field("question", gr.HTML())
                self.button("revoke-keep", "Revoke, answers stay", variant="stop", min_width=90)
                self.button("revoke-uncount", "Revoke, answers stop counting", variant="stop", min_width=90)
                self.button("revoke-cancel", "Cancel", min_width=90)
            self.field("whom", gr.State(""))
            with self.buttons():
                self.output("revoke-flagged", gr.Button("Revoke several", visible=False, elem_id="revoke-flagged"))
                self.output("revoke-undo", gr.Button("Undo revoking several", visible=False, elem_id="revoke-undo"))
            self.clickable("people")
            with gr.Accordion("Pass marks of checks", open=False, elem_id="marks"):
                self.field("marks-hint", gr.HTML())
                with self.bar():
                    for name in MARKS:
                        self.field(
                            name, forms.field_control(name, value=None, interactive=False, elem_id=name.replace("_", "-"))
                        )
                with self.buttons():
                    self.button("marks-save", "Save the marks", variant="primary")
                self.field("marks-log", gr.HTML(elem_id="marks-log"))
            self.field("marks-filled", gr.State(""))
        elif part == "pay":
            self.html("pay")
            html_component(note(pay.PLATFORM_FILE))
            file = gr.File(label="Submissions from the platform", file_types=[".csv"], type="filepath", height=140)
            self.field("platform-file", file)
            self.field("pay-matched", gr.HTML(elem_id="pay-matched"))
        elif part == "settings":
            html_component(note(change.HINT))
            self.setting = change.fields()
            self.fields |= {f"set-{name}": component for name, component in self.setting.items()}
            self.field("meaning", gr.HTML(elem_id="set-meaning"))
            with self.buttons():
                self.button("settings-save", "Save", variant="primary")
            self.field("settings-filled", gr.State(""))
        elif part == "broken":
            self.clickable("broken")
        elif part == "adjudicate":
            self._lay_out_cases()
        elif part == "invite":
            html_component(note(people.INVITE_HINT))
            with self.bar():
                self.field("role", gr.Dropdown(list(ROLES), value=ROLES[0], label="Role", info="their role"))
                self.field("days", gr.Number(LINK_DAYS, label="Days", info="days until it expires", minimum=0, step=1))
                self.field("uses", gr.Number(None, label="Uses", info="people; 0: no limit", precision=0, step=1))
                self.field("link-note", gr.Textbox(label="Note", info="for yourself", max_lines=1))
                self.field("signed", gr.Checkbox(label="Signed links", info=people.SIGNED, elem_id="link-signed"))
            with self.buttons():
                self.button("link-make", "Make a link", variant="primary")
            self.field("links", clickable_html("links"))
        elif part == "recruitment":
            html_component(note(people.RECRUITMENT_HINT))
            self.describing = people.recruitment_fields()
            with self.buttons():
                self.button("said-save", "Save", variant="primary")
            self.said_of = gr.State("")

    def _lay_out_cases(self) -> None:
        html_component(note(adjudicate.SPOILS))
        self.links("verdicts", "cases")
        with self.bar():
            self.dropdown("against", "Between")
            self.dropdown("only", "Cases", [("all that differ", ANY)], ANY)
        self.links("cases", js=_FOLLOW)
        with self.buttons():
            self.dropdown("case", "Open", [("none", "")], "")
            self.button("case-before", "Previous", min_width=90)
            self.button("case-next", "Next", min_width=90)
        with self.field("naming", self.buttons(visible=False, elem_id="case-naming")):
            name = gr.Textbox(label="Your name", info="Uncovering answers is recorded.", max_lines=1, elem_id="case-name")
            self.field("case-name", name)
            self.button("case-named", "Go on", min_width=90)
        keys = f"import('{at('/assets/js/case_keys.js')}').then((m) => m.listen(element));"
        self.field("case-html", gr.HTML("", js_on_load=keys, elem_id="case"))
        with self.field("ruling", gr.Column(visible=False, elem_id="ruling", elem_classes="cc-pair")):
            wrong = [(text, value) for value, text in adjudicate.WRONG.items()]
            self.field("verdict", gr.Radio([], label="What is right", elem_id="case-verdict"))
            self.field("wrong", gr.Radio(wrong, label="Who was wrong", elem_id="case-wrong"))
            with self.bar():
                rater = gr.Dropdown([], label="Which one", allow_custom_value=True, visible=False, elem_id="case-rater")
                self.field("rater", rater)
                self.field("remark", gr.Textbox(label="Note", max_lines=3, elem_id="case-note"))
            with self.buttons():
                self.button("case-save", "Save and open next", variant="primary")
            html_component(note(adjudicate.KEYS))
        self.field("deciding", gr.State(None))

    def view(self, values: Mapping[str, Any]) -> CampaignsView:
        return CampaignsView(**{name: str(value) for name, value in values.items() if value})

    def view_of(self, values: tuple[Any, ...]) -> CampaignsView:
        """By the controls' values."""
        return self.view(self.by_name(values))

    def offer(self, view: CampaignsView) -> Mapping[str, Any]:
        offered = updates.choices(self.store, view)
        about = offered["about"].control() | {"visible": view.show in ("people", "adjudicate")}
        return {**offered, "about": about}

    def draw(self, view: CampaignsView) -> Iterator[Drawn | None]:
        yield from updates.draw(self.store, view)

    def connect(self) -> None:
        super().connect()
        gr.on(None, acting_user, None, self.who, queue=False, **QUIET)
        self._connect_making()
        for name in _MOVES:
            self.after(self.on(self[f"campaign-{name}"].click, partial(self._move, name), ("campaign",), ("message",)))
        self._connect_people()
        self._connect_settings()
        self._connect_forms()
        self._connect_case()
        self._connect_links()

    def _move(self, name: str, campaign: str) -> Drawn:
        return {"message": message_update(updates.move(self.store, campaign, name))}

    def _connect_making(self) -> None:
        names = [f"new-{name}" for name in self.making]
        previewed = ("preview", "campaign-make", "new-definition")

        def named(values: tuple[Any, ...]) -> dict[str, Any]:
            return dict(zip(self.making, values, strict=True))

        def preview(*values: Any) -> list[Any]:
            text, possible = forms.preview_campaign(self.store, named(values))
            own = named(values)["questionnaire"] == forms.OWN
            return [rendered(text), gr.Button(interactive=possible), gr.Code(visible=own)]

        def make(*values: Any) -> Drawn:
            made, wrong = forms.make_campaign(self.store, named(values))
            if made is None:
                return {"preview": note(wrong, "cc-bad")}
            return {"form": False, "preview": "", **self.offer(CampaignsView(campaign=made.campaign_id))}

        def choices() -> Drawn:
            return {f"new-{name}": change for name, change in forms.create_choices(self.store).items()}

        def gold_choices(questionnaire: str, definition: str, chosen: str) -> Drawn:
            return {"new-gold_from": forms.gold_choices(self.store, questionnaire, definition, chosen)}

        self.on(partial(gr.on, None), choices, (), ("new-suite", "new-task", "new-generator"))
        gold_inputs = ("new-questionnaire", "new-definition", "new-gold_from")
        self.on(self["new-questionnaire"].change, gold_choices, gold_inputs, ("new-gold_from",))
        self.on(self["campaign-new"].click, gold_choices, gold_inputs, ("new-gold_from",))
        # one event of all controls: two of them answered at once would end with whichever came last, not with what is chosen
        inputs, outputs = [self[name] for name in names], [self[name] for name in previewed]
        changes = [control.blur if isinstance(control, gr.Textbox) else control.change for control in inputs]
        listen(changes, preview, inputs, outputs, **QUIET)

        def fill(name: str) -> Drawn:
            return {f"new-{field}": value for field, value in forms.preset(name).items()}

        for name in forms.PRESETS:
            filled = self.on(self[f"preset-{name.lower()}"].click, partial(fill, name), (), tuple(fill(name)))
            filled.then(preview, inputs, outputs, **QUIET)
        begun = self.on(self["campaign-new"].click, lambda: {"form": True}, (), ("form",), queue=False)
        begun.then(preview, inputs, outputs, **QUIET)
        self.on(self["campaign-cancel"].click, lambda: {"form": False}, (), ("form",), queue=False)
        self.after(self.on(self["campaign-make"].click, make, names, ("form", "preview", *ADDRESS), trigger_mode="once"))

    def _connect_people(self) -> None:
        def clicked(campaign: str, event: gr.EventData, request: gr.Request) -> Drawn:
            data = event_data(event)
            person = data.get("person", "")
            if data.get("do") == "reinstate":
                done = updates.reinstate(self.store, person, campaign, acting_user(request))
                return {"revoking": False, "question": "", "whom": "", "message": message_update(done, "")}
            return {"revoking": bool(person), "question": updates.revoke_question(person), "whom": person}

        def revoke(uncount: bool) -> Any:
            def act(campaign: str, person: str, request: gr.Request) -> Drawn:
                done = updates.revoke(self.store, person, campaign, acting_user(request), uncount=uncount)
                return {"revoking": False, "whom": "", "message": message_update(done, "")}

            return act

        def aside(campaign: str, event: gr.EventData) -> Drawn:
            data = event_data(event)
            wrong = updates.set_aside(self.store, campaign, data.get("item", ""), aside=data.get("do") == "aside")
            return {"message": message_update(wrong)}

        asking = ("revoking", "question", "whom", "message")
        self.after(self.on(self["people"].select, clicked, ("campaign",), asking))

        def flagged(campaign: str) -> Drawn:
            whom = updates.preselected(self.store, campaign)
            return {"revoking": True, "question": updates.revoke_several_question(self.store, campaign, whom), "whom": whom}

        def undo(campaign: str, request: gr.Request) -> Drawn:
            return {"message": message_update(updates.undo_revoke(self.store, campaign, acting_user(request)), "")}

        self.on(self["revoke-flagged"].click, flagged, ("campaign",), ("revoking", "question", "whom"), queue=False)
        self.after(self.on(self["revoke-undo"].click, undo, ("campaign",), ("message",)))
        for name, uncount in (("revoke-keep", False), ("revoke-uncount", True)):
            self.after(self.on(self[name].click, revoke(uncount), ("campaign", "whom"), ("revoking", "whom", "message")))
        self.on(self["revoke-cancel"].click, lambda: {"revoking": False}, (), ("revoking",), queue=False)
        self.after(self.on(self["broken"].select, aside, ("campaign",), ("message",)))

    def _connect_settings(self) -> None:
        names = [*self.setting]
        inputs = [self[f"set-{name}"] for name in names]

        def named(values: tuple[Any, ...]) -> dict[str, Any]:
            return dict(zip(names, values, strict=True))

        def meaning(campaign: str, filled: str, *values: Any) -> str:
            return rendered(change.meaning(self.store, campaign, named(values)) if campaign == filled else "")

        def save(request: gr.Request, campaign: str, *values: Any) -> Drawn:
            done = change.save(self.store, campaign, named(values), acting_user(request))
            return {"message": message_update(*done), "meaning": ""}

        def duplicate(campaign: str) -> Drawn:
            made, wrong = change.duplicate(self.store, campaign)
            if made is None:
                return {"message": message_update(wrong)}
            text = message_update(f"{made.campaign_id} is a draft with the same items and settings.", "")
            return {"message": text, **self.offer(CampaignsView(campaign=made.campaign_id, show="settings"))}

        where, filled = [self["campaign"], self["show"]], self["settings-filled"]
        opened = partial(change.open_settings, self.store, names)
        listen([control.change for control in where], opened, [*where, filled], [*inputs, filled], **QUIET)
        changes = [control.blur if isinstance(control, gr.Textbox) else control.change for control in inputs]
        listen(changes, meaning, [self["campaign"], filled, *inputs], [self["meaning"]], **QUIET)
        values = ("campaign", *(f"set-{name}" for name in names))
        self.after(self.on(self["settings-save"].click, save, values, ("message", "meaning"), trigger_mode="once"))
        copied = ("message", *ADDRESS)
        self.after(self.on(self["campaign-duplicate"].click, duplicate, ("campaign",), copied, trigger_mode="once"))

        def matched(campaign: str, path: str | None) -> str:
            return rendered(pay.matched(self.store, campaign, path))

        self["platform-file"].change(matched, [self["campaign"], self["platform-file"]], self["pay-matched"], **QUIET)

    def _connect_forms(self) -> None:
        """Pass marks and how people were asked: filled when they are opened, as somebody may be typing."""

        def save_marks(request: gr.Request, campaign: str, *values: float | None) -> Drawn:
            done = forms.save_marks(self.store, campaign, values, acting_user(request))
            return {"message": message_update(*done), "marks-log": forms.marks_log(self.store, campaign)}

        def save_recruitment(request: gr.Request, campaign: str, *values: str | None) -> gr.HTML:
            return message_update(*people.save_recruitment(self.store, campaign, values, acting_user(request)))

        where = [self["campaign"], self["show"]]
        marks = [self[name] for name in ("marks-hint", *MARKS, "marks-log", "marks-filled")]
        parts = [*self.describing.values()]
        changes = [control.change for control in where]
        listen(changes, partial(forms.open_marks, self.store), [*where, self["marks-filled"]], marks, **QUIET)
        saved = self.on(
            self["marks-save"].click, save_marks, ("campaign", *MARKS), ("message", "marks-log"), trigger_mode="once"
        )
        self.after(saved)
        opened = partial(people.open_recruitment, self.store)
        listen(changes, opened, [*where, self.said_of], [*parts, self.said_of], **QUIET)
        self["said-save"].click(save_recruitment, [self["campaign"], *parts], self.message, trigger_mode="once", **QUIET)

    def _connect_case(self) -> None:
        every, opened = [*self.controls.values()], [self[name] for name in _CASE]

        def open_case(request: gr.Request, deciding: tuple[str, str] | None, *values: str | None) -> list[Any]:
            return updates.show_case(self.store, self.view_of(values), acting_user(request).name, deciding)

        def named(request: gr.Request, _: str, *values: str | None) -> list[Any]:
            return open_case(request, None, *values)

        def step(by: int) -> Any:
            return lambda *values: gr.Dropdown(value=updates.neighbour(self.store, self.view_of(values), by))

        def blame(wrong: str | None, verdict: str | None, *values: str | None) -> gr.Dropdown:
            return updates.blame(self.store, self.view_of(values), wrong, verdict)

        def save(request: gr.Request, verdict: str, wrong: str, rater: str, remark: str, *values: str | None) -> Drawn:
            view = self.view_of(values)
            following = updates.neighbour(self.store, view, 1)
            wrong_now = updates.rule(self.store, view, (verdict, wrong, rater, remark), acting_user(request))
            if wrong_now:
                return {"message": message_update(wrong_now)}
            case = gr.Dropdown(value=following if following != view.case else "")
            return {"message": message_update(""), "case": case}

        # a live page sets its controls anew: the same case is drawn again, and the verdict begun on it stays
        listen([self["case"].change, self["show"].change], open_case, [self["deciding"], *every], opened, **QUIET)
        js = _GIVE_NAME.replace("ADDRESS", at("/api/name"))
        self["case-named"].click(named, [self["case-name"], *every], opened, js=js, **QUIET)
        for name, by in (("case-before", -1), ("case-next", 1)):
            self[name].click(step(by), every, self["case"], queue=False, **QUIET)
        blaming = [self["wrong"], self["verdict"]]
        listen([control.change for control in blaming], blame, [*blaming, *every], self["rater"], **QUIET)
        ruling = ("verdict", "wrong", "rater", "remark", *self.controls)
        self.after(self.on(self["case-save"].click, save, ruling, ("message", "case"), trigger_mode="once"))

    def _connect_links(self) -> None:
        def make(request: gr.Request, campaign: str, *values: Any) -> Drawn:
            who = acting_user(request)
            wrong = people.make_link(self.store, campaign, values, who)
            return {"message": message_update(wrong), "links": people.links(self.store, campaign, who)}

        def revoke(campaign: str, event: gr.EventData, request: gr.Request) -> Drawn:
            who = acting_user(request)
            wrong = people.revoke_link(self.store, event_data(event).get("invitation", ""), who)
            return {"message": message_update(wrong), "links": people.links(self.store, campaign, who)}

        def draw(who: ActingUser | None, campaign: str | None, show: str | None) -> Iterator[list[Any]]:
            shown = who is not None and campaign and show == "invite"
            yield [rendered(people.links(self.store, campaign, who)) if shown else gr.skip()]  # type: ignore[arg-type]

        drawn = ("message", "links")
        self.on(self["link-make"].click, make, ("campaign", *_INVITE), drawn, trigger_mode="once")
        self.on(self["links"].select, revoke, ("campaign",), drawn)
        keep_current(self.store, draw, [self.who, self["campaign"], self["show"]], [self["links"]])

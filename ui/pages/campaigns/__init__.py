"""Campaigns: make one, invite, watch coverage, pace and people, and decide who was wrong; followed live."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import gradio as gr

from concord.common.base_path import at
from data.store.core.store import Store
from ui.components.controls import clickable_html, event_data
from ui.components.live_updates import ignored, keep_current, listen, set_address
from ui.components.tables import note
from ui.pages.campaigns import forms, people, updates
from ui.pages.campaigns.forms import CampaignPanel, CasePanel, CreatePanel, InvitePanel, MarksForm, RevokePanel
from ui.pages.campaigns.people import RecruitmentForm
from ui.pages.campaigns.view import ADDRESS, SHOWN, ActingUser, CampaignsView, acting_user

NAME: Final = "Campaigns"
PATH: Final = "/campaigns"
_QUIET: Final[dict[str, Any]] = {"show_progress": "hidden", "api_visibility": "private"}
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


class _Page:
    """The components, and what happens between them."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.notice = gr.HTML(elem_id="ignored")
        self.list = clickable_html("campaigns")
        self.campaign, begin = forms.campaign_choice()
        self.making: CreatePanel = forms.create_panel(begin)
        self.message = gr.HTML(visible=False, elem_id="campaign-message")
        self.watching: CampaignPanel = forms.campaign_panel()
        made = self.watching
        with made.panel:
            columns = {}
            for name in SHOWN:
                with gr.Column(visible=name == "coverage", elem_id=f"part-{name}") as columns[name]:
                    self._build_part(name)
            made.parts.update(columns)
        # who looks: nobody until the page has read that
        self.who = gr.State(None)

    def _build_part(self, name: str) -> None:
        if name == "coverage":
            lead = gr.HTML(elem_id="coverage")
            with gr.Row():
                plots = [gr.Plot(show_label=False, visible=False, elem_id=name) for name in ("by-answers", "by-time")]
            self.coverage = [lead, *plots, gr.HTML(elem_id="apart")]
        elif name == "people":
            self.asking: RevokePanel = forms.revoke_panel()
            self.people = clickable_html("people")
            self.marking: MarksForm = forms.marks_form()
        elif name == "broken":
            self.broken = clickable_html("broken")
        elif name == "adjudicate":
            self.case: CasePanel = forms.case_panel()
        elif name == "invite":
            self.inviting: InvitePanel = forms.invite_panel()
        elif name == "recruitment":
            self.describing: RecruitmentForm = people.recruitment_form()

    @property
    def controls(self) -> list[Any]:
        case = self.case
        return [self.campaign, self.watching.show, self.watching.about, case.against, case.only, case.case]

    @property
    def drawn_components(self) -> list[Any]:
        """What ``drawing.draw`` draws, in its order."""
        made = self.watching
        head = [self.list, made.panel, made.title, *made.moves, made.about, *made.parts.values()]
        return [*head, *self.coverage, self.people, self.broken, self.case.counts, self.case.cases, self.inviting.links]

    def wire(self) -> None:
        """All events."""
        draw_ = self._draw
        first = gr.on(
            None, self._opened, None, [*self.controls, self.notice, self.who, *create_lists(self)], queue=False, **_QUIET
        )
        chosen = [control.input for control in self.controls]
        listen(chosen, self._follow, self.controls, self.controls, queue=False, **_QUIET)
        for control in self.controls:
            control.change(None, self.controls, None, js=set_address(ADDRESS))
        keep_current(self.store, lambda *asked: iter([self._follow(*asked)]), self.controls, self.controls, opened=first)
        keep_current(self.store, draw_, [self.who, *self.controls], self.drawn_components)
        self.list.select(self._picked("campaign", "open"), self.controls, self.controls, queue=False, **_QUIET)
        self._wire_making()
        made = self.watching
        for button, act in zip(made.moves, (updates.start, updates.stop, updates.archive, updates.delete), strict=True):
            done = button.click(
                lambda campaign, act=act: updates.message_update(act(self.store, campaign)),
                self.campaign,
                self.message,
                **_QUIET,
            )
            self._after(done)
        self._wire_people()
        self._wire_marks()
        self._wire_case()
        self._wire_links()
        self._wire_recruitment()

    def _draw(self, who: ActingUser | None, *values: str | None) -> Iterator[list[Any]]:
        if who is None:
            yield [gr.skip()] * len(self.drawn_components)
            return
        yield from updates.draw(self.store, CampaignsView.of(*values), who)

    def _follow(self, *values: str | None) -> list[Any]:
        return updates.followed(self.store, *values)

    def _choose(self, *values: str | None) -> list[Any]:
        return updates.controls(self.store, CampaignsView.of(*values))

    def _opened(self, request: gr.Request) -> list[Any]:
        query = request.query_params
        view = CampaignsView.of(*(query.get(name) for name in ADDRESS))
        chosen = {name: choice.value for name, choice in zip(ADDRESS, updates.choices(self.store, view), strict=True)}
        lost = ignored(query, chosen)
        return [*updates.controls(self.store, view), lost, acting_user(request), *forms.create_choices(self.store)]

    def _picked(self, name: str, do: str) -> Any:
        """A click that sets one control; what depends on it begins anew."""
        place = ADDRESS.index(name)

        def picked(event: gr.EventData, *values: str | None) -> list[Any]:
            data = event_data(event)
            if data.get("do") != do:
                return [gr.skip()] * len(ADDRESS)
            kept = list(values[:2]) + [None] * (len(ADDRESS) - 2) if name == "campaign" else list(values)
            kept[place] = data.get("key", data.get(name, ""))
            return self._choose(*kept)

        return picked

    def _after(self, event: Any) -> None:
        """Draw at once what an act has changed."""
        event.then(self._follow, self.controls, self.controls, queue=False, **_QUIET).then(
            self._draw, [self.who, *self.controls], self.drawn_components, **_QUIET
        )

    def _wire_making(self) -> None:
        ui = self.making
        inputs = ui.fields.inputs
        outputs = [ui.preview, ui.make]

        def preview(*values: Any) -> list[Any]:
            named = ui.fields.named(values)
            text, possible = forms.preview_campaign(self.store, named)
            return [text, gr.Button(interactive=possible), gr.Code(visible=named["questionnaire"] == forms.OWN)]

        def make(*values: Any) -> list[Any]:
            made, wrong = forms.make_campaign(self.store, ui.fields.named(values))
            if made is None:
                return [gr.skip(), note(wrong, "cc-bad"), *[gr.skip()] * len(ADDRESS)]
            return [gr.Column(visible=False), "", *self._choose(made.campaign_id, *[None] * (len(ADDRESS) - 1))]

        outputs = [*outputs, ui.fields.controls["definition"]]
        # one event of all controls: two of them answered at once would end with whichever came last, not with what is chosen
        changes = [control.blur if isinstance(control, gr.Textbox) else control.change for control in inputs]
        listen(changes, preview, inputs, outputs, **_QUIET)
        begun = ui.begin.click(lambda: gr.Column(visible=True), None, ui.panel, queue=False, **_QUIET)
        begun.then(preview, inputs, outputs, **_QUIET)
        ui.cancel.click(lambda: gr.Column(visible=False), None, ui.panel, queue=False, **_QUIET)
        made = ui.make.click(make, inputs, [ui.panel, ui.preview, *self.controls], trigger_mode="once", **_QUIET)
        self._after(made)

    def _wire_people(self) -> None:
        ask = self.asking

        def clicked(campaign: str, event: gr.EventData, request: gr.Request) -> list[Any]:
            data = event_data(event)
            person = data.get("person", "")
            if data.get("do") == "reinstate":
                done = updates.reinstate(self.store, person, campaign, acting_user(request))
                return [gr.Row(visible=False), "", "", updates.message_update(done, "")]
            return [gr.Row(visible=bool(person)), updates.revoke_question(person), person, gr.skip()]

        def revoke(uncount: bool) -> Any:
            def act(campaign: str, person: str, request: gr.Request) -> list[Any]:
                done = updates.revoke(self.store, person, campaign, acting_user(request), uncount=uncount)
                return [gr.Row(visible=False), "", updates.message_update(done, "")]

            return act

        clicks = self.people.select(clicked, self.campaign, [ask.row, ask.question, ask.whom, self.message], **_QUIET)
        self._after(clicks)
        for button, uncount in ((ask.keep, False), (ask.uncount, True)):
            done = button.click(revoke(uncount), [self.campaign, ask.whom], [ask.row, ask.whom, self.message], **_QUIET)
            self._after(done)
        ask.cancel.click(lambda: gr.Row(visible=False), None, ask.row, queue=False, **_QUIET)

        def aside(campaign: str, event: gr.EventData) -> gr.HTML:
            data = event_data(event)
            return updates.message_update(
                updates.set_aside(self.store, campaign, data.get("item", ""), aside=data.get("do") == "aside")
            )

        self._after(self.broken.select(aside, self.campaign, self.message, **_QUIET))

    def _wire_marks(self) -> None:
        ui, place = self.marking, [self.campaign, self.watching.show]

        def opened(campaign: str | None, show: str | None, filled: str) -> list[Any]:
            return forms.open_marks(self.store, campaign, show, filled)

        def save(request: gr.Request, campaign: str, *values: float | None) -> list[Any]:
            done = forms.save_marks(self.store, campaign, values, acting_user(request))
            return [updates.message_update(*done), forms.marks_log(self.store, campaign)]

        listen([one.change for one in place], opened, [*place, ui.filled], ui.opened, **_QUIET)
        saved = ui.save.click(save, [self.campaign, *ui.marks], [self.message, ui.log], trigger_mode="once", **_QUIET)
        self._after(saved)

    def _wire_case(self) -> None:
        ui = self.case
        picked = ui.cases.select(self._picked("case", "case"), self.controls, self.controls, queue=False, **_QUIET)
        picked.then(None, js=_FOLLOW)

        def open_case(request: gr.Request, deciding: tuple[str, str] | None, *values: str | None) -> list[Any]:
            return updates.show_case(self.store, CampaignsView.of(*values), acting_user(request).name, deciding)

        def named(request: gr.Request, _: str, *values: str | None) -> list[Any]:
            return open_case(request, None, *values)

        def step(by: int) -> Any:
            return lambda *values: gr.Dropdown(value=updates.neighbour(self.store, CampaignsView.of(*values), by))

        def blame(wrong: str | None, verdict: str | None, *values: str | None) -> gr.Dropdown:
            return updates.blame(self.store, CampaignsView.of(*values), wrong, verdict)

        # a live page sets its controls anew: the same case is drawn again, and the verdict begun on it stays
        listen([ui.case.change, self.watching.show.change], open_case, [ui.deciding, *self.controls], ui.opened, **_QUIET)
        ui.named.click(named, [ui.name, *self.controls], ui.opened, js=_GIVE_NAME.replace("ADDRESS", at("/api/name")), **_QUIET)
        for button, by in ((ui.before, -1), (ui.next, 1)):
            button.click(step(by), self.controls, ui.case, queue=False, **_QUIET)
        listen([ui.wrong.change, ui.verdict.change], blame, [ui.wrong, ui.verdict, *self.controls], ui.rater, **_QUIET)
        ruling = [ui.verdict, ui.wrong, ui.rater, ui.remark]

        def save(request: gr.Request, verdict: str, wrong: str, rater: str, remark: str, *values: str | None) -> list[Any]:
            view = CampaignsView.of(*values)
            following = updates.neighbour(self.store, view, 1)
            wrong_now = updates.rule(self.store, view, (verdict, wrong, rater, remark), acting_user(request))
            if wrong_now:
                return [updates.message_update(wrong_now), gr.skip()]
            return [updates.message_update(""), gr.Dropdown(value=following if following != view.case else "")]

        saved = ui.save.click(save, [*ruling, *self.controls], [self.message, ui.case], trigger_mode="once", **_QUIET)
        self._after(saved)

    def _wire_links(self) -> None:
        ui = self.inviting
        outputs = [self.message, ui.links]

        def make(request: gr.Request, campaign: str, *given: Any) -> list[Any]:
            who = acting_user(request)
            role, days, uses, remark, signed = given
            wrong = updates.hand_out(self.store, campaign, (role, days, uses, remark, signed), who)
            return [updates.message_update(wrong), people.links(self.store, campaign, who)]

        def revoke(campaign: str, event: gr.EventData, request: gr.Request) -> list[Any]:
            who = acting_user(request)
            wrong = updates.unlink(self.store, event_data(event).get("invitation", ""), who)
            return [updates.message_update(wrong), people.links(self.store, campaign, who)]

        asked = [self.campaign, ui.role, ui.days, ui.uses, ui.remark, ui.signed]
        ui.make.click(make, asked, outputs, trigger_mode="once", **_QUIET)
        ui.links.select(revoke, self.campaign, outputs, **_QUIET)

    def _wire_recruitment(self) -> None:
        ui, place = self.describing, [self.campaign, self.watching.show]

        def opened(campaign: str | None, show: str | None, filled: str) -> list[Any]:
            return people.open_recruitment(self.store, campaign, show, filled)

        def save(request: gr.Request, campaign: str, *values: str | None) -> gr.HTML:
            return updates.message_update(*people.save_recruitment(self.store, campaign, values, acting_user(request)))

        listen([one.change for one in place], opened, [*place, ui.filled], [*ui.inputs, ui.filled], **_QUIET)
        ui.save.click(save, [self.campaign, *ui.inputs], self.message, trigger_mode="once", **_QUIET)


def create_lists(page: _Page) -> list[Any]:
    """The form's lists of suites, tasks and generators."""
    return [page.making.fields.controls[name] for name in ("suite", "task", "generator")]


def build(store: Store) -> None:
    """The page; its address holds the campaign and what is shown of it."""
    _Page(store).wire()

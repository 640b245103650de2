// What else can be done with an item than answering it: skip and take it back, pause, report, look at one's own answers.

import { detail } from "../api.js";
import * as asides from "./side_dialogs.js";
import { button } from "../dom.js";
import { newId } from "../outbox.js";
import { exitScreen } from "./screens.js";
import { later, t } from "../texts.js";

const UNREACHABLE = later("The server cannot be reached just now.");

export class BesidesAnswering {
  constructor(form) {
    this.form = form;
    this.busy = false;
  }

  skip() {
    const { form } = this;
    if (!form.item) return;
    if (form.item.task.revises) {
      form.bars.setNotice(t("An answer that is already given cannot be skipped."), form.wayBack(form.item.task));
      return;
    }
    const back = button(t("Undo skip"), { key: "t" }, () => this.unskip());
    this.putAway("skip", {}, { text: t("Skipped: it returns at the end."), action: back });
  }

  report() {
    const { form } = this;
    if (!form.item || form.item.task.revises) return;
    const told = { text: t("Reported, thank you: you will not be asked about it again."), action: null };
    asides.report(form.dialogs, (reason) => this.putAway("report", { reason }, told));
  }

  /** The item leaves the screen at once; the outbox tells the server. With the next item `told` is said. */
  putAway(route, more, told) {
    const { form } = this;
    const { task } = form.item;
    form.keepDraft();
    form.item = null;
    form.queue.handled(task.ticket);
    const body = { ticket: task.ticket, campaign: task.campaign, ...more };
    form.outbox.add({ id: newId(), route, ticket: task.ticket, body, task });
    form.told = told;
    form.showNext();
  }

  async unskip() {
    const { form } = this;
    if (form.name === null || form.item?.task.revises) return;
    await this.once(async () => {
      if (form.outbox.waiting.length > 0) return form.bars.setNotice(t("Still saving. Please try again in a moment."));
      const { outcome, data } = await form.api.post("unskip", {});
      if (outcome !== "ok") return form.bars.setNotice(t(detail(data, UNREACHABLE)));
      if (!data.taken_back) return form.bars.setNotice(t("There is no skipped picture."));
      form.keepDraft();
      form.bars.setNotice("");
      return form.startOver();
    });
  }

  pause() {
    return this.rest(t("Paused"));
  }

  /** Leave: everything is saved, and others may have the pictures that were reserved. */
  exit() {
    return this.rest("");
  }

  async rest(title) {
    const { form } = this;
    if (form.name === null) return form.rest(exitScreen({ title: t("You can close this page.") }, () => form.startOver()));
    return this.once(async () => {
      form.keepDraft();
      const { waiting } = form.outbox;
      if (waiting.length > 0) return form.bars.setNotice(t("{n} of your answers will be saved as soon as the server can be reached. Please keep this page open until then.", { n: waiting.length }));
      const { outcome, data } = await form.api.post("pause", {});
      if (outcome === "unreachable") return form.bars.setNotice(t(UNREACHABLE));
      return form.rest(exitScreen({ ...(outcome === "ok" ? data : {}), title, answered: form.answered, results: form.results }, () => form.startOver()));
    });
  }

  async mine() {
    const { form } = this;
    if (form.name === null) return;
    await this.once(async () => {
      const { outcome, data } = await form.api.get("mine");
      if (outcome !== "ok") return form.bars.setNotice(t(detail(data, UNREACHABLE)));
      return asides.mine(form.dialogs, data.answers, (id) => this.revise(`mine/${id}`));
    });
  }

  /** Open an answer that is already given; `route` tells which. */
  async revise(route) {
    const { form } = this;
    await this.once(async () => {
      if (form.outbox.waiting.length > 0) return form.bars.setNotice(t("Your last answer is still being saved. Please try again in a moment."));
      const { outcome, data } = await form.api.get(route);
      if (outcome !== "ok" || !data.questionnaire) {
        const why = outcome === "unreachable" ? UNREACHABLE : later("There is no answer to revise yet.");
        return form.bars.setNotice(t(detail(data, why)));
      }
      form.keepDraft();
      if (form.item) form.queue.putBack(form.item.task);
      return form.open(data, null, route === "last" ? t("You are revising your last answer.") : t("You are revising an earlier answer."));
    });
  }

  async once(work) {
    if (this.busy) return;
    this.busy = true;
    await work();
    this.busy = false;
  }
}

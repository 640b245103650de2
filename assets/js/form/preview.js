// A campaign's form before its start: in the place of the server it answers from what was read once, and keeps nothing.

import { Api } from "../api.js";
import { at } from "../base_path.js";
import { newId } from "../outbox.js";
import { later } from "../texts.js";

const TITLE = later("All done, thank you");
const MESSAGE = later("This was the preview of a campaign. None of your answers was stored.");

export class Preview {
  constructor(campaign) {
    this.server = new Api(at("/api/studio/"));
    this.id = campaign;
    this.isPreview = true;
    this.data = null;
    this.restart();
  }

  restart() {
    // who has seen the instructions is remembered by name: each preview shows them
    this.name = `participant-${newId().replaceAll("-", "").slice(0, 10)}`;
    this.agreed = false;
    this.done = [];
  }

  async get(route) {
    if (this.data === null) {
      const answer = await this.server.get(`preview?campaign=${encodeURIComponent(this.id)}`);
      if (answer.outcome !== "ok") return answer;
      this.data = answer.data;
    }
    if (route === "next") return ok(this.next());
    if (route === "mine") return ok({ answers: this.done.map(({ id, task, answers, submitted }) => ({ id, answers, submitted, images: task.images, caption: task.caption })).reverse() });
    const past = route === "last" ? this.done.at(-1) : this.done.find(({ id }) => route === `mine/${id}`);
    return past ? ok({ ...past.task, answers: past.answers, revises: past.id }) : { outcome: "refused", status: 404, data: {} };
  }

  async post(route, body) {
    if (route === "leave") this.restart();
    if (route === "consent") this.agreed = true;
    if (route === "pause") return ok({ paused: true });
    if (route === "unskip") return ok({ taken_back: false });
    if (["skip", "report"].includes(route)) this.put({ ...body, id: newId(), answers: {} });
    if (route !== "submit") return ok({});
    const { ticket, answers } = body;
    const told = await this.server.post("preview", { campaign: this.id, ticket, answers });
    if (told.outcome !== "ok") return told;
    this.put({ ...body, right: told.data.right });
    return ok({ saved: true, new: true, status: "valid", feedback: told.data.feedback, next: this.next() });
  }

  put({ id, ticket, answers, revises = null, right = null }) {
    const task = this.data.tasks.find((one) => one.ticket === ticket);
    this.done = this.done.filter((one) => one.id !== revises).concat({ id, task, answers, right, submitted: new Date().toISOString() });
  }

  /** How far training has come, while it lasts: its items are the first. */
  training() {
    const { tasks, training } = this.data;
    if (training === null) return null;
    const answered = this.done.filter(({ task }) => tasks.indexOf(task) < training.left);
    const left = training.left - answered.length;
    return left > 0 ? { ...training, right: answered.filter(({ right }) => right).length, left } : null;
  }

  next() {
    const { campaign, consent, tasks, code } = this.data;
    const answered = new Set(this.done.map(({ task }) => task.ticket));
    const left = tasks.filter(({ ticket }) => !answered.has(ticket));
    const told = { name: this.name, campaign, training: this.training(), progress: { done: answered.size, remaining: left.length, total: tasks.length } };
    if (consent && !this.agreed) return { ...told, ...consent };
    if (left.length === 0) return { ...told, state: "done", title: TITLE, message: MESSAGE, ...code };
    // an id of its own keeps drafts of the preview apart from those of the campaign
    return { ...told, campaign: { ...campaign, id: this.name }, state: "label", tasks: left.slice(0, 2).map((task) => ({ ...task, campaign: this.name })) };
  }
}

function ok(data) {
  return { outcome: "ok", status: 200, data };
}

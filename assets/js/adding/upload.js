// Files on their way to the server: batch after batch through the upload route, then read as one.

import { Api, detail } from "../api.js";
import { at } from "../base_path.js";
import { h } from "../dom.js";

const api = new Api(at("/"));
const BATCH_BYTES = 40 * 1024 * 1024;
const BATCH_FILES = 200;
export const NO_ANSWER = "The server does not answer. Try again.";
const WANTED = /\.(png|jpe?g|webp|bmp|gif|tiff?|avif|csv|tsv|jsonl?|parquet|xlsx?|ods|txt|zip)$/i;

export class Upload {
  /** `kind`: what the files are, "" where that is to be found out; `then(address)` is called with where they are shown. */
  constructor(kind, then) {
    this.kind = kind;
    this.then = then;
    this.status = h("div", { class: "cc-upload-status", role: "status" });
    this.bar = h("progress", { max: 1, value: 0, "aria-label": "Upload" });
  }

  async send(files) {
    const wanted = files.filter(({ path, file }) => WANTED.test(path) && file.size > 0 && !path.split("/").some((part) => part.startsWith(".")));
    document.querySelector(".gradio-container").append(this.status);
    if (wanted.length === 0) return this.failed("There is no image, table or zip among these files.");
    let upload = "";
    let done = 0;
    for (const batch of batches(wanted)) {
      this.say(`Uploading ${done.toLocaleString("en")} of ${wanted.length.toLocaleString("en")} files`, done / wanted.length);
      const names = await sent(batch.map(({ file }) => file));
      if (names.error) return this.failed(names.error);
      const body = { upload, files: batch.map(({ path }, n) => ({ name: names[n], path })) };
      const { outcome, data } = await api.post("api/studio/add/files", body);
      if (outcome !== "ok") return this.failed(detail(data, NO_ANSWER));
      ({ upload } = data);
      done += batch.length;
    }
    const { outcome, data } = await api.post("api/studio/add/read", this.kind ? { upload, kind: this.kind } : { upload });
    if (outcome !== "ok") return this.failed(detail(data, NO_ANSWER));
    this.status.remove();
    return this.then(data.go);
  }

  say(text, share) {
    this.bar.value = share;
    this.status.replaceChildren(h("span", {}, text), this.bar);
  }

  failed(text) {
    const close = h("button", { type: "button", class: "cc-button", on: { click: () => this.status.remove() } }, "Close");
    this.status.replaceChildren(h("span", { role: "alert" }, text), close);
  }
}

function* batches(files) {
  let batch = [];
  let bytes = 0;
  for (const each of files) {
    if (batch.length && (bytes + each.file.size > BATCH_BYTES || batch.length === BATCH_FILES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(each);
    bytes += each.file.size;
  }
  if (batch.length) yield batch;
}

/** The names under which the server has the files, or {error}. */
async function sent(files) {
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  try {
    const response = await fetch(at("/studio/gradio_api/upload"), { method: "POST", body: form, credentials: "same-origin" });
    if (response.ok) return await response.json();
    if (response.status === 413) return { error: "A file is larger than 50 MB. A larger folder that lies on the server’s machine is read there, by its path." };
    const text = await response.text();
    return { error: text.startsWith("{") || text.startsWith("<") ? NO_ANSWER : text };
  } catch {
    return { error: NO_ANSWER };
  }
}

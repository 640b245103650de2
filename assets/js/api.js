// Requests to the JSON routes, with every outcome named: the form must never take a failure for a success.

import { pageLanguage } from "./texts.js";

const TIMEOUT_MS = 15_000;
const WORTH_RETRYING = new Set([408, 425, 429]);

export class Api {
  constructor(base) {
    this.base = base.endsWith("/") ? base : `${base}/`;
  }

  get(route) {
    return this.request(route, { method: "GET" });
  }

  post(route, body) {
    const text = JSON.stringify(body);
    // keepalive lets a save outlive the closing tab; browsers allow it for small bodies only.
    const options = { method: "POST", body: text, headers: { "content-type": "application/json" }, keepalive: text.length < 30_000 };
    return this.request(route, options);
  }

  /** {outcome: "ok" | "refused" | "signed-out" | "unreachable", status, data, wait?: seconds to wait}; never throws. */
  async request(route, options) {
    let response;
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const headers = { ...options.headers, "accept-language": pageLanguage() }; // which is not always the browser's
      response = await fetch(this.base + route, { ...options, headers, signal, credentials: "same-origin", cache: "no-store" });
    } catch {
      return { outcome: "unreachable", status: 0, data: {} };
    }
    const { status } = response;
    let data = null;
    try {
      data = await response.json();
    } catch {
      /* a page instead of JSON: a proxy or a login answered in the server's place */
    }
    if (status === 401 || status === 403) return { outcome: "signed-out", status, data: data ?? {} };
    if (status >= 500 || WORTH_RETRYING.has(status)) {
      return { outcome: "unreachable", status, data: data ?? {}, wait: Number(response.headers.get("retry-after")) || 0 };
    }
    if (!response.ok) return { outcome: "refused", status, data: data ?? {} };
    const isObject = typeof data === "object" && data !== null;
    return isObject ? { outcome: "ok", status, data } : { outcome: "unreachable", status, data: {} };
  }
}

/** What a refusal says, in one sentence: FastAPI's own refusals carry a list instead. */
export function detail(data, otherwise) {
  return typeof data?.detail === "string" && data.detail ? data.detail : otherwise;
}

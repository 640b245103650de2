// Moments in the reader's own time: each <time class="cc-when"> is written in UTC, and says so until this has run.

const NEAR = { weekday: "short", hour: "2-digit", minute: "2-digit" };
const FAR = { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" };
const WEEK_MS = 6 * 24 * 3_600_000;

function localize(root) {
  for (const time of root.querySelectorAll("time.cc-when:not([data-local])")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    const near = Math.abs(moment - Date.now()) < WEEK_MS;
    time.title = time.textContent;
    time.textContent = moment.toLocaleString("en-GB", near ? NEAR : FAR);
    time.dataset.local = "";
  }
}

new MutationObserver(() => localize(document)).observe(document.documentElement, { childList: true, subtree: true });
localize(document);

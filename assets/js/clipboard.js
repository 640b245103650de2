// The clipboard, also where browsers keep it from pages without HTTPS.

/** Put a text on the clipboard; `by`, where it is given, has the focus afterwards. */
export async function copyText(text, by = document.activeElement) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.body.appendChild(Object.assign(document.createElement("textarea"), { value: text }));
    field.select();
    document.execCommand("copy");
    field.remove();
    by?.focus();
  }
}

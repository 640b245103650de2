// Letters, digits and arrows reach the controls of the opened case while nobody types.

export function listen(element) {
  document.addEventListener("keydown", (event) => {
    if (!element.isConnected || !element.offsetParent || !element.querySelector(".cc-case")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = event.target;
    if (at.closest("textarea, [contenteditable], [role=dialog], [role=listbox], select")) return;
    const radio = at.matches("input[type=radio]");
    if (at.matches("input") && !radio) return;
    const press = (where, n) => document.querySelectorAll(`#${where} input[type=radio]`)[n]?.click();
    const key = event.key.toLowerCase();
    if (/^[1-4]$/.test(key)) press("case-wrong", Number(key) - 1);
    else if (/^[a-z]$/.test(key)) press("case-verdict", key.charCodeAt(0) - 97);
    else if (key === "enter" && !at.closest("button, a")) document.getElementById("case-save")?.click();
    else if (key === "arrowright" && !radio) document.getElementById("case-next")?.click();
    else if (key === "arrowleft" && !radio) document.getElementById("case-before")?.click();
    else return;
    event.preventDefault();
  });
}

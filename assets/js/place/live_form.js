// A form whose fields stand in the address: as they move, the parts beside it are drawn anew, and the form stays as it is.

/** The address with what the form says; what stands as usual is left out. What each field says is shown beside it. */
export function turned(form, url) {
  for (const field of form.querySelectorAll("input[name]")) {
    if (field.type === "radio" && !field.checked) continue;
    const usual = field.type === "radio" ? field.value === field.dataset.usual : Number(field.value) === Number(field.dataset.usual);
    if (usual) url.searchParams.delete(field.name);
    else url.searchParams.set(field.name, field.value);
    if (field.type === "range") say(field, usual);
  }
  return url;
}

function say(field, usual) {
  const knob = field.closest(".cc-knob");
  knob.querySelector("output").textContent = String(Number(field.value));
  knob.querySelector("s").hidden = usual;
  field.parentElement.style.setProperty("--now", String((field.value - field.min) / (field.max - field.min)));
}

/** Replaces each part by the one of its name; false where the new drawing has other parts. */
export function withParts(element, content) {
  const drawn = document.createElement("template");
  drawn.innerHTML = content;
  const [old, parts] = [element, drawn.content].map((root) => new Map([...root.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part])));
  if (!parts.size || old.size !== parts.size || [...parts.keys()].some((name) => !old.has(name))) return false;
  for (const [name, part] of parts) old.get(name).replaceWith(part);
  return true;
}

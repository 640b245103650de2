// What a form sends: its fixed part, what its fields hold by their kind, and what the pressed button adds.

/** The body; with `data-values` the fields are one object of it. */
export async function bodyOf(form, submitter = null) {
  const fields = {};
  for (const field of form.querySelectorAll("[name]")) {
    if (field.disabled || field.tagName === "BUTTON") continue;
    if (field.dataset.kind === "list") fields[field.name] = [...(fields[field.name] ?? []), ...(field.checked ? [field.value] : [])];
    else fields[field.name] = await held(field);
  }
  const values = form.dataset.values === undefined ? fields : { values: fields };
  return { ...JSON.parse(form.dataset.body), ...values, ...JSON.parse(submitter?.dataset.set ?? "{}") };
}

async function held(field) {
  if (field.dataset.kind === "bool") return field.checked;
  if (field.dataset.kind === "number") return field.value === "" ? null : Number(field.value);
  if (field.dataset.kind === "text") return field.files[0] ? field.files[0].text() : "";
  return field.value;
}

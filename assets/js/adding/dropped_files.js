// The files in what was dropped, folders walked through, each with its path from what was dropped.

const MOST_FILES = 60_000;

export async function filesIn(transfer) {
  // after the event the items are gone: entries are taken at once
  const entries = [...transfer.items].filter((item) => item.kind === "file").map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
  const found = [];
  for (const entry of entries) if (entry) await walk(entry, "", found);
  return found;
}

async function walk(entry, before, found) {
  if (found.length >= MOST_FILES) return;
  if (entry instanceof File) return void found.push({ file: entry, path: entry.name });
  const path = before + entry.name;
  if (entry.isFile) {
    const file = await new Promise((resolve) => entry.file(resolve, () => resolve(null)));
    if (file) found.push({ file, path });
    return;
  }
  const reader = entry.createReader();
  // a reader tells a hundred at a time
  for (;;) {
    const some = await new Promise((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (some.length === 0) return;
    for (const each of some) await walk(each, `${path}/`, found);
  }
}

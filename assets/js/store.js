// localStorage, which may be full or forbidden: then drafts and unsent answers live in this page's memory only.

const PREFIX = "concord.";
const DRAFT_DAYS = 14;
const memory = new Map();

export function read(key) {
  if (memory.has(key)) return memory.get(key);
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key));
  } catch {
    return null;
  }
}

export function write(key, value) {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
    memory.delete(key);
  } catch {
    memory.set(key, value);
  }
}

export function remove(key) {
  memory.delete(key);
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    /* nothing to remove */
  }
}

export function keys(prefix) {
  const found = new Set([...memory.keys()].filter((key) => key.startsWith(prefix)));
  try {
    for (let i = 0; i < localStorage.length; i += 1) {
      const key = localStorage.key(i);
      if (key.startsWith(PREFIX + prefix)) found.add(key.slice(PREFIX.length));
    }
  } catch {
    /* memory only */
  }
  return [...found];
}

/** Drafts of items that never came back would pile up for ever. */
export function forgetOldDrafts(now = Date.now()) {
  for (const key of keys("draft.")) {
    const draft = read(key);
    if (!draft || now - (draft.at ?? 0) > DRAFT_DAYS * 86_400_000) remove(key);
  }
}

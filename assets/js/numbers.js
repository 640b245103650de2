// Numbers as text.

/** With so many decimals; what rounds to 0 has no sign. */
export function fixed(value, digits) {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}

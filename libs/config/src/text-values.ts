/** The items of a comma list, without blanks around them and without empty ones. */
export function listFrom(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** A decimal number, or undefined when the text is none. */
export function numberFrom(text: string): number | undefined {
  return /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : undefined;
}

/** What Go's `strconv.ParseBool` takes: `true`, `t`, `1`, `false`, `f`, `0`, in any case. */
export function booleanFrom(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'true' || word === 't' || word === '1') return true;
  return word === 'false' || word === 'f' || word === '0' ? false : undefined;
}

/** One metric in an expression, with the labels that it is narrowed by. */
export interface Selected {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
}

const WORDS = new Set(['and', 'or', 'unless', 'by', 'on', 'ignoring', 'group_left', 'group_right', 'offset', 'bool']);
/** A comparison's text, as it stands in a selector. */
const MATCHER = /(\w+)\s*(?:=~|!=|!~|=)\s*"((?:[^"\\]|\\.)*)"/g;

const STRING = /"(?:[^"\\]|\\.)*"/g;

/** The metrics that a PromQL expression selects. No parser: enough for what dashboards and rules here hold. */
export function selectedIn(expression: string): Selected[] {
  const selected: Selected[] = [];
  const text = expression
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(?:by|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
    .replaceAll(/([a-zA-Z_:][\w:]*)\s*\{((?:[^}"]|"(?:[^"\\]|\\.)*")*)\}/g, (_, name: string, matchers: string) => {
      const labels = [...matchers.matchAll(MATCHER)].map(([, label = '', value = '']) => [label, value] as const);
      selected.push({ name, labels: new Map(labels) });
      return ' ';
    })
    .replaceAll(STRING, ' ')
    // a duration after `offset`, and numbers
    .replaceAll(/\b\d[\w.]*/g, ' ');
  for (const [, name = '', call = ''] of text.matchAll(/([a-zA-Z_:][\w:]*)(\s*\()?/g)) {
    if (call === '' && !WORDS.has(name)) selected.push({ name, labels: new Map() });
  }
  return selected;
}

/** The labels that an expression sums or joins by, those aside that it makes itself. */
export function groupedBy(expression: string): string[] {
  const made = new Set([...expression.matchAll(/\blabel_replace\(.*?, "(\w+)"/gs)].map(([, label = '']) => label));
  const lists = [...expression.matchAll(/\b(?:by|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g)];
  return lists
    .flatMap(([, list = '']) => list.split(',').map((label) => label.trim()))
    .filter((label) => label !== '' && !made.has(label));
}

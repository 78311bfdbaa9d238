/** Whether a pod with these labels is meant. */
export type LabelPredicate = (labels: Readonly<Record<string, string>>) => boolean;

const KEY = String.raw`([A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?)`;
const EXISTS = new RegExp(`^(!?)\\s*${KEY}$`);
const EQUALS = new RegExp(`^${KEY}\\s*(==|=|!=)\\s*([A-Za-z0-9._-]*)$`);
const AMONG = new RegExp(`^${KEY}\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const COMPARES = new RegExp(`^${KEY}\\s*([<>])\\s*(-?\\d+)$`);
const VALUE = /^[A-Za-z0-9._-]*$/;

/**
 * Reads a selector as Kubernetes writes it: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, `a>1`, `a<1`, all joined by
 * commas. An empty one selects everything; `!=` and `notin` select what does not have the label, too.
 * @throws Error for anything else
 */
export function parseLabelSelector(text: string): LabelPredicate {
  if (text.trim() === '') return () => true;
  // commas between parentheses belong to their requirement
  const requirements = text.split(/,(?![^(]*\))/).map((part) => requirement(part.trim()));
  return (labels) => requirements.every((holds) => holds(labels));
}

function requirement(text: string): LabelPredicate {
  const found = exists(text) ?? equals(text) ?? among(text) ?? compares(text);
  if (found === undefined)
    throw new Error(`not a label selector, such as app=vllm,tier in (a,b): ${text.slice(0, 200)}`);
  return found;
}

function exists(text: string): LabelPredicate | undefined {
  const [, not, key] = EXISTS.exec(text) ?? [];
  return key === undefined ? undefined : (labels) => Object.hasOwn(labels, key) === (not === '');
}

function equals(text: string): LabelPredicate | undefined {
  const [, key, operator, value = ''] = EQUALS.exec(text) ?? [];
  return key === undefined ? undefined : memberOf(key, [value], operator !== '!=');
}

function among(text: string): LabelPredicate | undefined {
  const [, key, operator, list = ''] = AMONG.exec(text) ?? [];
  const values = list.split(',').map((value) => value.trim());
  if (key === undefined || !values.every((value) => VALUE.test(value))) return undefined;
  return memberOf(key, values, operator === 'in');
}

function memberOf(key: string, values: readonly string[], isWanted: boolean): LabelPredicate {
  return (labels) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return (value !== undefined && values.includes(value)) === isWanted;
  };
}

function compares(text: string): LabelPredicate | undefined {
  const [, key, operator, limit] = COMPARES.exec(text) ?? [];
  if (key === undefined) return undefined;
  return (labels) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (value === undefined || !/^-?\d+$/.test(value)) return false;
    return operator === '>' ? Number(value) > Number(limit) : Number(value) < Number(limit);
  };
}

import { isObject } from '../control/json-value.ts';

const LEFT_OUT: ReadonlySet<string> = new Set([
  'severity_text',
  'severity_number',
  'service.name',
  'timestamp',
  'logger',
  'body',
  'err',
  'trace_id',
  'span_id',
]);

/** A JSON log line of the coordinator for a person: `WARN shutdown: breaking off what is left in_flight=1`. Any other line as it is. */
export function logLine(line: string): string {
  const entry = line.startsWith('{') ? parsed(line) : undefined;
  if (!isObject(entry) || typeof entry['body'] !== 'string') return line;
  const { severity_text: severity, logger, body, err } = entry;
  const fields = Object.entries(entry)
    .filter(([key]) => !LEFT_OUT.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const cause =
    isObject(err) && typeof err['message'] === 'string' && err['message'] !== body ? `(${err['message']})` : '';
  const source = [severity, logger].filter((word) => typeof word === 'string').join(' ');
  return [`${source}:`, body, cause, ...fields].filter((word) => word !== '' && word !== ':').join(' ');
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

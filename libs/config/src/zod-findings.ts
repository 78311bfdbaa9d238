import type { z } from 'zod';
import type { Finding } from './conform.ts';
import { NO_OPTION_FITS } from './issue-message.ts';

type Issue = z.core.$ZodIssue;

/** zod's issues, one finding for each thing to put right; messages that a schema gives itself are kept as they are. */
export function zodFindings(issues: readonly Issue[], base: readonly PropertyKey[] = []): Finding[] {
  return issues.flatMap((issue) => findingsOf(issue, [...base, ...issue.path]));
}

function findingsOf(issue: Issue, path: readonly PropertyKey[]): Finding[] {
  switch (issue.code) {
    case 'unrecognized_keys': {
      const messages = issue.message.split('\n');
      return issue.keys.map((key, index) => ({ path: [...path, key], message: messages[index] ?? issue.message }));
    }
    case 'invalid_union':
      return issue.message === NO_OPTION_FITS ? unionFindings(issue.errors, path) : [{ path, message: issue.message }];
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.map(({ message }) => ({ path, message }));
    default:
      return [{ path, message: issue.message }];
  }
}

/** The problems of the option that was meant; if none stands out, what all of them expect where they disagree. */
function unionFindings(options: readonly (readonly Issue[])[], path: readonly PropertyKey[]): Finding[] {
  const meant = options
    .filter((issues) => !issues.some(rulesOut))
    .toSorted((a, b) => a.length - b.length)
    .at(0);
  if (meant !== undefined) return zodFindings(meant, path);
  const reasons = options.flatMap((issues) => zodFindings(issues.filter(rulesOut).slice(0, 1), path));
  const first = reasons[0];
  if (first === undefined) return [{ path, message: NO_OPTION_FITS }];
  const same = reasons.filter((reason) => reason.path.join('\0') === first.path.join('\0'));
  return [{ path: first.path, message: joined([...new Set(same.map(({ message }) => message))]) }];
}

/** True for an issue that says "this option is not the one meant": another kind of value, or another fixed value. */
function rulesOut(issue: Issue): boolean {
  if (issue.path.length === 0) return issue.code !== 'unrecognized_keys' && issue.code !== 'custom';
  return issue.code === 'invalid_value' && issue.path.length === 1 && issue.values.length === 1;
}

/** `expected a, got x` and `expected b, got x` → `expected a or b, got x`. */
function joined(messages: readonly string[]): string {
  const parts = messages.map((message) => /^(expected|is required:) (.*?)(, got .*)?$/s.exec(message));
  const [head, , tail = ''] = parts[0]?.slice(1) ?? [];
  const alike = parts.every((part) => part !== null && part[1] === head && (part[3] ?? '') === tail);
  if (!alike || head === undefined) return messages.join(', or ');
  return `${head} ${parts.map((part) => part?.[2] ?? '').join(' or ')}${tail}`;
}

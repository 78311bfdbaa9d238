import type { Flag } from './cli.ts';
import { dashed } from './cli.ts';

/** What `--help` prints, made from the flag table. */
export function helpText(flags: readonly Flag[], program: { name: string; summary: string }): string {
  const rows = flags.map((flag) => ({ usage: usageOf(flag), help: flag.help + defaultOf(flag) }));
  const width = Math.max(...rows.map(({ usage }) => usage.length));
  const lines = rows.map(({ usage, help }) => `  ${usage.padEnd(width)}  ${help}`);
  return `${program.summary}\n\nUsage: ${program.name} [flags]\n\nFlags:\n${lines.join('\n')}\n`;
}

const PLACEHOLDERS = { text: 'VALUE', integer: 'N', list: 'A,B', switch: '' } as const;

/** `-h, --help`, `    --config FILE`, `    --tracing[=false]`. */
function usageOf(flag: Flag): string {
  const names = [flag.alias, flag.name].filter((name) => name !== undefined).toSorted((a, b) => a.length - b.length);
  const margin = names[0]?.length === 1 ? '' : '    ';
  const value = flag.value ?? PLACEHOLDERS[flag.kind];
  const suffix = flag.kind === 'switch' ? (flag.path === undefined ? '' : '[=false]') : ` ${value}`;
  return margin + names.map(dashed).join(', ') + suffix;
}

function defaultOf(flag: Flag): string {
  return flag.default === undefined ? '' : ` (default ${String(flag.default)})`;
}

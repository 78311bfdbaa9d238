/** One thing that is wrong: where (a configuration path, a variable, a flag, a line of the file) and how to put it right. */
export interface ConfigProblem {
  readonly path: string;
  readonly message: string;
}

/**
 * The configuration or the command line cannot be used. Thrown at start only; its message is meant for the terminal and
 * lists every problem, one a line, in columns. It quotes no secret and no long value.
 */
export class ConfigError extends Error {
  constructor(
    summary: string,
    readonly problems: readonly ConfigProblem[] = [],
    options?: ErrorOptions,
  ) {
    super(problems.length === 0 ? summary : `${summary}:\n${columns(problems)}`, options);
    this.name = 'ConfigError';
  }
}

function columns(problems: readonly ConfigProblem[]): string {
  const width = Math.max(...problems.map(({ path }) => path.length));
  const indent = ' '.repeat(width + 4);
  return problems
    .map(({ path, message }) => `  ${path.padEnd(width)}  ${message.replaceAll('\n', `\n${indent}`)}`)
    .join('\n');
}

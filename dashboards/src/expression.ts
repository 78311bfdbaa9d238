/** PromQL put together from expressions. What is returned can be an operand of any operator. */

/**
 * `part` divided by `whole`, and no series rather than NaN where `whole` is zero.
 * @param extra labels that `part` has and `whole` has not
 */
export function ratio(part: string, whole: string, extra: readonly string[] = []): string {
  const matching = extra.length === 0 ? '' : ` ignoring (${extra.join(', ')}) group_left ()`;
  return block([part, `/${matching}`, `(${whole} > 0)`]);
}

/**
 * Zero where `counted` has no series but `reference` has: a counter that was never touched does not exist, and the absence of the
 * whole service must not look like a zero of it.
 * @param reference an expression with the labels of `counted`
 */
export function zeroLike(counted: string, reference: string): string {
  return block([counted, 'or', `0 * ${reference}`]);
}

/** The share of `whole` that `counted` is: zero, not absent, where nothing was counted. They have the same labels. */
export function portion(counted: string, whole: string): string {
  return ratio(zeroLike(counted, whole), whole);
}

/** All of these hold; the value is the first one's. */
export function all(...conditions: readonly string[]): string {
  return conditions.join('\nand\n');
}

/** An operand over several lines. */
export function block(lines: readonly string[]): string {
  return `(\n${indented(lines.join('\n'))}\n)`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

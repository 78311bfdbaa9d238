/** `Retry-After` of an answer (RFC 9110, 10.2.3) in milliseconds from `now`; undefined for what says no time. @param now ms since 1970 */
export function retryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // a date alone: Date.parse takes much that is none
  const time = /^[A-Z][a-z]+,? .*GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

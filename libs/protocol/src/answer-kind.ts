type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Whether an answer is a stream of server-sent events; media types have no case (RFC 9110 section 8.3.1). */
export function isEventStream(headers: Headers): boolean {
  const type = headers['content-type'];
  return typeof type === 'string' && type.toLowerCase().startsWith('text/event-stream');
}

/** Whether the bytes of an answer stand for others, so that nothing can be told of them as they pass. */
export function isCoded(headers: Headers): boolean {
  return headers['content-encoding'] !== undefined;
}

import type { BrokerKeys, RequestKeys } from '#broker';
import { JsonSyntaxError, validatedObject } from '#json';
import type { JsonValue } from '#json';
import { formatOfPath, traceContext } from '#protocol';
import type { TraceContext } from '#protocol';
import { textMap } from './text-map.ts';

/** What a message asks for. */
export interface ReceivedEnvelope {
  readonly keys: RequestKeys;
  /** Of the submission; empty where there is none, and it cannot be cancelled then. */
  readonly token: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** Seconds since 1970. */
  readonly deadline: number;
  /** The client's body, which shares the member's bytes. */
  readonly payload: Buffer;
  /** As they came. */
  readonly headers: Readonly<Record<string, string>>;
  readonly endpoint: string;
  readonly trace: TraceContext;
}

/** Why it is none, as a word, and whose it seems to be. */
export interface UnreadableEnvelope {
  readonly problem: string;
  readonly owner: { readonly keys: RequestKeys; readonly token: string } | undefined;
}

/** Where `internal` has to stand for tries to be counted in it. */
const BEGINNING = '{"internal":{';

/**
 * Reads what lay on a queue. The payload is checked to be JSON, and otherwise left as it is. Nothing is read of other keys than the request's
 * own: a message that names another mailbox is not one.
 * @see coordinator.md C.9, "Redis keys and message formats"
 */
export async function readEnvelope(member: Buffer, keys: BrokerKeys): Promise<ReceivedEnvelope | UnreadableEnvelope> {
  if (member.toString('latin1', 0, BEGINNING.length) !== BEGINNING) return unreadable('not_an_envelope');
  try {
    const envelope = await validatedObject(member);
    return read(envelope.get('internal'), envelope.get('data'), keys);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return unreadable('not_json');
    throw error;
  }
}

function read(
  internal: JsonValue | undefined,
  data: JsonValue | undefined,
  brokerKeys: BrokerKeys,
): ReceivedEnvelope | UnreadableEnvelope {
  if (internal === undefined || data === undefined) return unreadable('not_an_envelope');
  const keys = brokerKeys.ofWireId(textOf(data, 'id'));
  if (keys === undefined) return unreadable('id');
  const token = textOf(internal, 'request_token');
  if (!/^[\x21-\x7e]{0,128}$/.test(token)) return unreadable('request_token');
  // it is not the request's own, whoever wrote this
  if (!namesOnly(keys.mailbox, [internal, data])) return unreadable('result_queue_name');
  const fields = fieldsOf(data);
  return 'problem' in fields ? { ...fields, owner: { keys, token } } : { ...fields, keys, token };
}

type Fields = Omit<ReceivedEnvelope, 'keys' | 'token'>;

function fieldsOf(data: JsonValue): Fields | { readonly problem: string } {
  const endpoint = textOf(data, 'endpoint');
  if (formatOfPath(endpoint) === undefined) return { problem: 'endpoint' };
  const created = secondsOf(data, 'created');
  const deadline = secondsOf(data, 'deadline');
  if (created === undefined || deadline === undefined) return { problem: 'times' };
  const payload = data.member('payload');
  if (payload?.kind !== 'object') return { problem: 'payload' };
  const headers = headersOf(data);
  if (headers === undefined) return { problem: 'headers' };
  const metadata = textMap(data.member('metadata'));
  if (metadata === undefined) return { problem: 'metadata' };
  return { endpoint, created, deadline, payload: payload.bytes, headers, trace: traceOf(metadata) };
}

/** Empty for what is no text. */
function textOf(object: JsonValue, key: string): string {
  return object.member(key)?.string ?? '';
}

function namesOnly(mailbox: string, places: readonly JsonValue[]): boolean {
  return places.every((place) => {
    const named = place.member('result_queue_name');
    return named === undefined || named.string === mailbox;
  });
}

function secondsOf(data: JsonValue, key: string): number | undefined {
  const seconds = data.member(key)?.number;
  return seconds !== undefined && Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : undefined;
}

/** Undefined where there is one that no request can have. */
function headersOf(data: JsonValue): Readonly<Record<string, string>> | undefined {
  const headers = textMap(data.member('headers'));
  const areHeaders = Object.entries(headers ?? {}).every(
    ([name, value]) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
  );
  return areHeaders ? headers : undefined;
}

function traceOf(metadata: Readonly<Record<string, string>>): TraceContext {
  const valuesOf = (name: string): string[] => {
    const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
    return value === undefined ? [] : [value];
  };
  return traceContext({
    traceparent: valuesOf('traceparent'),
    tracestate: valuesOf('tracestate'),
    baggage: valuesOf('baggage'),
  });
}

function unreadable(problem: string): UnreadableEnvelope {
  return { problem, owner: undefined };
}

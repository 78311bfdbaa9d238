import { WireError } from '../control/wire-error.ts';

/**
 * The bytes of a `data:` URI. Scheme and `base64` marker are read without regard to case, other parameters are ignored.
 * @throws WireError 400 for anything else, an http URL among them: the coordinator must have replaced it
 */
export function dataUriBytes(uri: string, where: string): Buffer {
  const comma = uri.indexOf(',');
  const head = comma < 0 ? uri.slice(0, 64) : uri.slice(0, comma);
  if (!/^data:/i.test(head)) throw new WireError(`${where} must be a data: URI, got ${head.split(':', 1)[0] ?? ''}:`);
  if (comma < 0 || !/;base64(;|$)/i.test(head)) throw new WireError(`${where} must be base64 with a comma before it`);
  return base64Bytes(uri.slice(comma + 1), where);
}

/** @throws WireError 400 when nothing comes of it */
export function base64Bytes(text: string, where: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0) throw new WireError(`${where} holds no data`);
  return bytes;
}

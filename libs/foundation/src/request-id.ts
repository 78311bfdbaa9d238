import { randomUUID } from 'node:crypto';

const VALID = /^[a-zA-Z0-9-]{1,128}$/;

/** A request's id, and what became of the client's own. */
export interface RequestId {
  readonly id: string;
  /** Length of a client's id that was not usable; the value itself is never kept. */
  readonly rejectedLength?: number;
}

/** The client's id where it is well formed, else a fresh UUID (`decisions.md` R4). */
export function requestId(fromClient: string | undefined): RequestId {
  if (fromClient === undefined || fromClient === '') return { id: randomUUID() };
  if (VALID.test(fromClient)) return { id: fromClient };
  return { id: randomUUID(), rejectedLength: fromClient.length };
}

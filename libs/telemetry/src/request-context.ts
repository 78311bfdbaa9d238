import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestRecord } from './request-record.ts';

/** The request that code runs for, so that a log line or a download can be told to be its. */
export const requestContext = new AsyncLocalStorage<RequestRecord>();

import { RESP_TYPES } from 'redis';

/** Has the texts of a reply come as bytes: a result is read by index, and may be large. */
export const BYTES = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } };

/** Producers that exist by default, under their types' names. */
export const TOKEN_PRODUCER = 'token-producer';
export const PREFIX_PRODUCER = 'approx-prefix-cache-producer';
export const IN_FLIGHT_PRODUCER = 'inflight-load-producer';

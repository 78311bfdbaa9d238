/** The listener that a module is made for: a `RankListener`. */
export const RANK_LISTENER = Symbol('sidecar:rank-listener');

/** Largest request body, in bytes. */
export const MAX_BODY = Symbol('sidecar:max-body');

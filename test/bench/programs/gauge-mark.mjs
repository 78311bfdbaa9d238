/** Begins a line of `gauge.preload.mjs`. */
export const GAUGE_MARK = 'bench-gauge ';

import type { UpstreamReply } from '#gateway';

/** The two calls; each follows its signal. */
export interface ConcurrentLegs {
  /** Done when prefill's answer is whole and says that all went well. */
  readonly prefill: (signal: AbortSignal) => Promise<void>;
  readonly decode: (signal: AbortSignal) => Promise<UpstreamReply>;
  /** Prefill failed when decode had answered already. @param isOver whether the answer had ended by then, so that it stands */
  readonly prefillFailedLate: (error: unknown, isOver: boolean) => void;
}

/**
 * Prefill and decode at the same time; the answer is decode's. Neither outlives a failure of the other or the request: a prefill
 * that fails breaks decode off, before its answer or in the middle of it, and a decode that fails or is refused calls prefill off.
 * @param signal of the request
 * @throws what prefill failed with before decode answered, else what decode failed with
 * @see coordinator.md C.8
 */
export async function runConcurrently(signal: AbortSignal, legs: ConcurrentLegs): Promise<UpstreamReply> {
  const prefillOff = new AbortController();
  const decodeOff = new AbortController();
  let phase: 'waiting' | 'answering' | 'over' = 'waiting';
  legs.prefill(AbortSignal.any([signal, prefillOff.signal])).catch((error: unknown) => {
    // called off: nobody waits for it
    if (signal.aborted || prefillOff.signal.aborted) return;
    if (phase !== 'waiting') legs.prefillFailedLate(error, phase === 'over');
    decodeOff.abort(error);
  });
  try {
    const reply = await legs.decode(AbortSignal.any([signal, decodeOff.signal]));
    // the head may have come in the same turn as prefill's failure
    decodeOff.signal.throwIfAborted();
    phase = 'answering';
    if (reply.status >= 300) prefillOff.abort(new Error('decode was refused'));
    reply.body.observe({
      end: (error) => {
        phase = 'over';
        if (error !== undefined) prefillOff.abort(error);
      },
    });
    return reply;
  } catch (error) {
    prefillOff.abort(error);
    throw error;
  }
}

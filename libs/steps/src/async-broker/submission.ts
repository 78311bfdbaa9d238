import type { BrokerConfig, RequestKeys, Submission } from '#broker';
import type { PipelineRequest } from '#pipeline';
import { valuesOf } from '#protocol';
import { queueRoute } from './queue-route.ts';

/** What the request itself does not say. */
export interface SubmissionTerms {
  /** From now to the deadline. */
  readonly seconds: number;
  readonly replaces: boolean;
  /** The parent of what the async processor does; undefined where there is no trace. */
  readonly traceparent: string | undefined;
}

/** The request as it is queued. */
export function submissionOf(
  { scope, model = '', path, body }: PipelineRequest,
  keys: RequestKeys,
  config: BrokerConfig,
  { seconds, replaces, traceparent }: SubmissionTerms,
): Submission {
  const created = Math.floor(Date.now() / 1000);
  return {
    keys,
    queue: queueRoute(config, model, keys.tenant).queue,
    created,
    deadline: created + seconds,
    payload: body.toRope(),
    metadata: {
      [config.quota.attribute]: keys.tenant,
      ...(traceparent === undefined ? {} : { traceparent }),
    },
    headers: forwarded(scope.headers, config.forward_headers),
    endpoint: path,
    replaces,
  };
}

function forwarded(headers: readonly string[], names: readonly string[]): Record<string, string> {
  const found = names.flatMap((name) => {
    const value = valuesOf(headers, name)[0];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}

import type { Endpoint, EndpointListener, EndpointStore } from '#scheduling';
import { OTHER } from '../label-cap.ts';
import type { PickerMetrics } from './picker-metrics.ts';

/** Outcomes of a cycle that found an endpoint. */
const CHOSEN = ['success', 'reserved'] as const;
type Chosen = (typeof CHOSEN)[number];

/** Series of models × endpoints; models beyond it share one for each endpoint. */
const MOST = 10_000;

/** Counts scheduling cycles by the endpoint that was chosen. The series of an endpoint that has gone go with it. */
export class SchedulerAttempts implements EndpointListener {
  private readonly models = new Map<string, Set<string>>();
  private size = 0;

  constructor(
    private readonly metrics: PickerMetrics,
    private readonly endpoints: Pick<EndpointStore, 'get' | 'listen'>,
  ) {
    endpoints.listen(this);
  }

  /** @param model bounded already @param status `reserved` where the client was told the endpoint, and the request goes nowhere */
  succeeded(model: string, endpoint: Endpoint, status: Chosen = 'success'): void {
    // of one that has gone meanwhile nobody would take the series away
    const isThere = this.endpoints.get(endpoint.id) !== undefined;
    if (isThere) this.add(this.admitted(model, endpoint), endpoint, status);
    else this.metrics.on.schedulerAttempts.add([status, model, OTHER, OTHER, '']);
  }

  failed(model: string): void {
    this.metrics.on.schedulerAttempts.add(['failure', model, '', '', '']);
  }

  removed(endpoint: Endpoint): void {
    const models = this.models.get(endpoint.id);
    if (models === undefined) return;
    for (const model of models) {
      for (const status of CHOSEN) this.metrics.on.schedulerAttempts.remove(labels(status, model, endpoint));
    }
    this.size -= models.size;
    this.models.delete(endpoint.id);
  }

  private add(model: string, endpoint: Endpoint, status: Chosen): void {
    this.metrics.on.schedulerAttempts.add(labels(status, model, endpoint));
  }

  private admitted(model: string, { id }: Endpoint): string {
    const known = this.models.get(id) ?? new Set();
    const label = known.has(model) || this.size < MOST ? model : OTHER;
    if (!known.has(label)) this.size++;
    this.models.set(id, known.add(label));
    return label;
  }
}

function labels(status: Chosen, model: string, { name, namespace, port }: Endpoint) {
  return [status, model, name, namespace, String(port)] as const;
}

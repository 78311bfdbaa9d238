/** A worker as file discovery is told of it. */
export interface ListedWorker {
  readonly name: string;
  readonly port: number;
  /** Of its phase; `all`: it has no label. */
  readonly role: string;
}

/** What the file has whose path is given to `file-discovery`. The samples for sidecars tell pods apart by the shorter label. */
export function endpointList(workers: readonly ListedWorker[]): object {
  return {
    endpoints: workers.map(({ name, role, port }) => ({
      name,
      address: '127.0.0.1',
      port: String(port),
      labels: role === 'all' ? {} : { 'llm-d.ai/role': role, role },
    })),
  };
}

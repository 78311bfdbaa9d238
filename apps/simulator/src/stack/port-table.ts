import type { StackArguments } from './stack-arguments.ts';

/** Parts that a `--port` may name although they are not started. */
const MAY_BE_ABSENT = ['prometheus'];

/** Ports by part, where the command line moves them. */
export class PortTable {
  private readonly placed = new Map<string, number>();

  constructor(private readonly args: Pick<StackArguments, 'ports' | 'portOffset'>) {}

  /** In the order in which they were placed. */
  get ports(): ReadonlyMap<string, number> {
    return this.placed;
  }

  /** @param usual the port that the part has if the command line says nothing */
  place(part: string, usual: number): number {
    const port = this.args.ports[part] ?? usual + this.args.portOffset;
    this.placed.set(part, port);
    return port;
  }

  /** @throws Error for a `--port` of a part that was not placed */
  check(): void {
    const known = [...this.placed.keys()];
    const unknown = Object.keys(this.args.ports).find((part) => ![...known, ...MAY_BE_ABSENT].includes(part));
    if (unknown !== undefined) throw new Error(`--port ${unknown}: there is ${known.join(', ')}`);
  }
}

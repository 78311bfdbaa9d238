import type { SimulatorConfig } from '../simulator.config.ts';
import { PROFILES } from './endpoint-pool.ts';
import type { Profile } from './endpoint-pool.ts';
import { ExtProcClient, extProcClientClass } from './ext-proc.client.ts';

/** `host:port` of one picker for all phases, or of one for each. */
type PickerAddresses = NonNullable<NonNullable<SimulatorConfig['gateway']>['picker']>;

/** The endpoint pickers of a gateway, by phase. */
export class PickerChannels {
  private readonly clients: ReadonlyMap<Profile, ExtProcClient>;

  constructor(private readonly addresses: PickerAddresses) {
    const of = (profile: Profile): string => (typeof addresses === 'string' ? addresses : addresses[profile]);
    const Client = extProcClientClass();
    const distinct = new Map(PROFILES.map(of).map((address) => [address, new ExtProcClient(address, Client)]));
    this.clients = new Map(
      PROFILES.flatMap((profile) => {
        const client = distinct.get(of(profile));
        return client === undefined ? [] : [[profile, client]];
      }),
    );
  }

  /**
   * The picker to ask about a call with this value of the profile header; undefined where no picker is for it. One picker for all phases
   * is asked about any value, since it is the one that says which there are.
   */
  for(profile: unknown): ExtProcClient | undefined {
    const known = PROFILES.find((name) => name === profile);
    return known === undefined && typeof this.addresses !== 'string' ? undefined : this.clients.get(known ?? 'decode');
  }

  close(): void {
    for (const client of new Set(this.clients.values())) client.close();
  }
}

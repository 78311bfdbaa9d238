import { hash } from 'node:crypto';

export const PROFILES = ['encode', 'prefill', 'decode'] as const;
export type Profile = (typeof PROFILES)[number];

export function isProfile(value: unknown): value is Profile {
  return PROFILES.some((profile) => profile === value);
}

/** The workers that a gateway knows, by role. */
export class EndpointPool {
  private readonly turns = new Map<Profile, number>();

  constructor(private readonly endpoints: Readonly<Record<Profile, string[]>>) {}

  add(profile: Profile, url: string): void {
    this.endpoints[profile].push(url);
  }

  /**
   * A worker of the role, or undefined without any. Encode and prefill take turns. Decode goes by the request id, so that a probe and the
   * decode after it meet the same cache.
   */
  pick(profile: Profile, requestId: string): string | undefined {
    const urls = this.endpoints[profile];
    if (profile === 'decode') return urls[parseInt(hash('sha1', requestId).slice(0, 8), 16) % urls.length];
    const turn = this.turns.get(profile) ?? 0;
    this.turns.set(profile, turn + 1);
    return urls[turn % urls.length];
  }
}

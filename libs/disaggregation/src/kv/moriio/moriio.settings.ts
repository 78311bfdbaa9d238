/** What `--moriio-*` says; read by the nixlv2 connector alone (`sidecar.md` 4.3, 4.4). */
export interface MoriioSettings {
  /** Whether prefill is told the engine beside us, and writes the blocks to it. */
  readonly writeMode: boolean;
  /** Whether prefill and decode start together; needs `writeMode`. */
  readonly parallelDispatch: boolean;
  /** Milliseconds that an answer of decode waits for prefill to end. */
  readonly decodeWaitTimeout: number;
  /** `--moriio-local-pod-ip`, else `POD_IP`; a name or an address. */
  readonly podIp: string | undefined;
  readonly decodeNotifyPort: number;
  readonly prefillNotifyPort: number;
  readonly decodeHandshakePort: number;
  readonly prefillHandshakePort: number;
  readonly tpSize: number;
  /** Ranks of a deployment, all its pods together; up to 1 where there is but one. */
  readonly dpSize: number;
  /** Ranks of a pod; 0 where that is not said. */
  readonly dpSizeLocal: number;
  /** Prefill pods, which decode is told; names or addresses, in the order of their ranks. */
  readonly remoteHosts: readonly string[];
  /** Decode pods, which prefill is told. */
  readonly decodeHosts: readonly string[];
}

/** What must not be so for the process to start, in sentences that name the flag; the first of each list of hosts only. */
export function checkMoriio(settings: MoriioSettings): readonly string[] {
  const problems: string[] = [];
  if (settings.writeMode && settings.podIp === undefined) {
    problems.push('--moriio-write-mode requires --moriio-local-pod-ip (or POD_IP)');
  }
  if (settings.parallelDispatch && !settings.writeMode) {
    problems.push('--moriio-parallel-dispatch requires --moriio-write-mode');
  }
  const lists = { '--moriio-remote-hosts': settings.remoteHosts, '--moriio-decode-hosts': settings.decodeHosts };
  const ofHosts = Object.entries(lists).map(([flag, hosts]) => hostsProblem(flag, hosts.length, settings));
  return [...problems, ...ofHosts.filter((problem) => problem !== undefined)];
}

/** A list of one host or none says nothing of ranks. */
function hostsProblem(flag: string, count: number, { dpSize, dpSizeLocal }: MoriioSettings): string | undefined {
  if (count <= 1) return undefined;
  if (dpSizeLocal <= 0) return `${flag} with more than one host requires dp-size-local > 0 (--moriio-dp-size-local)`;
  if (dpSize % dpSizeLocal !== 0) {
    return `${flag}: --moriio-dp-size ${dpSize} must be divisible by --moriio-dp-size-local ${dpSizeLocal}`;
  }
  const expected = dpSize / dpSizeLocal;
  return count === expected
    ? undefined
    : `${flag}: count of hosts must match dp-size / dp-size-local = ${expected}, got ${count}`;
}

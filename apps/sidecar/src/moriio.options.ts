import { checkMoriio } from '#disaggregation';
import type { MoriioSettings } from '#disaggregation';
import type { OptionChecks } from './option.checks.ts';

/** `--moriio-*`, of which there is nothing in the configuration (`sidecar.md` 13). */
export function moriioSettings(checks: OptionChecks): MoriioSettings {
  const { sources } = checks;
  const { values } = sources;
  const settings: MoriioSettings = {
    writeMode: values['moriio-write-mode'],
    parallelDispatch: values['moriio-parallel-dispatch'],
    decodeWaitTimeout: checks.time('moriio-parallel-decode-wait-timeout'),
    podIp: sources.text('moriio-local-pod-ip'),
    decodeNotifyPort: checks.port('moriio-decode-notify-port'),
    prefillNotifyPort: checks.port('moriio-prefill-notify-port'),
    decodeHandshakePort: checks.port('moriio-decode-handshake-port'),
    prefillHandshakePort: checks.port('moriio-prefill-handshake-port'),
    tpSize: values['moriio-tp-size'],
    dpSize: values['moriio-dp-size'],
    dpSizeLocal: values['moriio-dp-size-local'],
    remoteHosts: sources.list('moriio-remote-hosts'),
    decodeHosts: sources.list('moriio-decode-hosts'),
  };
  for (const message of checkMoriio(settings)) {
    const [flag = '--moriio-write-mode'] = /--moriio-[a-z-]+/.exec(message) ?? [];
    checks.fault(flag.slice(2), message);
  }
  return settings;
}

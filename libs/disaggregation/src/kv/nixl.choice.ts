import type { KvTransfer } from './kv-transfer.ts';
import type { HostResolver } from './moriio/host.resolver.ts';
import type { MoriioSettings } from './moriio/moriio.settings.ts';
import { NixlParallelTransfer } from './nixl-parallel.transfer.ts';
import { NixlReadTerms } from './nixl-read.terms.ts';
import { NixlTransfer } from './nixl.transfer.ts';
import type { NixlParts, NixlSettings } from './nixl.transfer.ts';
import { NixlWriteTerms } from './nixl-write.terms.ts';

/** The nixlv2 connector in the mode that `--moriio-*` asks for: blocks are read by decode where nothing is said. */
export function nixlTransfer(
  parts: NixlParts,
  settings: NixlSettings,
  moriio: MoriioSettings,
  resolver: HostResolver,
): KvTransfer {
  if (!moriio.writeMode) return new NixlTransfer(parts, settings, new NixlReadTerms(moriio.dpSize));
  const terms = new NixlWriteTerms(moriio, resolver);
  if (!moriio.parallelDispatch) return new NixlTransfer(parts, settings, terms);
  const { pulls } = settings;
  return new NixlParallelTransfer(parts, { pulls, decodeWaitTimeout: moriio.decodeWaitTimeout }, terms);
}

import type { RankDecoders, RankListener } from '#disaggregation';
import { hostPortText } from '#protocol';
import type { SidecarOptions } from './sidecar.options.ts';

type Ports = Pick<SidecarOptions, 'port' | 'modelServerPort' | 'dataParallelSize' | 'secureStages'>;

/** A listener for each engine of the pod; the engines are always on this host (`sidecar.md` 1.2, 9.1). */
export function rankListeners({
  port,
  modelServerPort,
  dataParallelSize,
  secureStages,
}: Ports): readonly RankListener[] {
  const scheme = secureStages.has('decode') ? 'https' : 'http';
  return Array.from({ length: dataParallelSize }, (_, rank) => ({
    rank,
    // 0 is any free port, of every listener
    port: port === 0 ? 0 : port + rank,
    decoder: `${scheme}://localhost:${modelServerPort + rank}`,
  }));
}

/** The engines as the endpoint picker knows them; none where the pod does not know its address (`sidecar.md` 9.2, 9.3). */
export function rankDecoders(listeners: readonly RankListener[], podIp: string | undefined): RankDecoders {
  if (podIp === undefined) return new Map();
  return new Map(listeners.map(({ port, decoder }) => [hostPortText({ host: podIp, port }), decoder]));
}

import { written, CHAT, requestBody, requestHeaders } from '../../../apps/epp/src/ext-proc/exchange.fixture.ts';
import { EnvoyStream, extProcClient, healthOn } from '../../../apps/epp/src/epp.fixture.ts';
import { PickerProcess } from './picker.process.ts';
import type { TemporaryFolder } from './temporary-folder.ts';

/** One profile that takes any endpoint. */
const ANY = { apiVersion: 'llm-d.ai/v1alpha1', kind: 'EndpointPickerConfig' };

/** The built endpoint picker as one who looks at Kubernetes, asked as Envoy asks it. */
export class KubernetesPicker {
  private constructor(readonly process: PickerProcess) {}

  /** Starts it and waits until it listens, which it does before it knows any endpoint. */
  static async start(kubeconfig: string, flags: readonly string[], folder: TemporaryFolder): Promise<KubernetesPicker> {
    const setting = {
      name: 'picker',
      config: ANY,
      flags: [
        '--secure-serving=false',
        '--metrics-endpoint-auth=false',
        '--refresh-metrics-interval=1s',
        '--drain-timeout=0s',
        ...flags,
      ],
      env: { KUBECONFIG: kubeconfig },
    };
    return new KubernetesPicker(await PickerProcess.start(setting, folder));
  }

  /** `address:port` of all endpoints that it knows, in order. */
  async endpoints(): Promise<readonly string[]> {
    const all = await this.listed();
    return all.map(({ address, port }) => `${address}:${port}`).toSorted();
  }

  /** Their names, in order. */
  async names(): Promise<readonly string[]> {
    return (await this.listed()).map(({ id }) => id).toSorted();
  }

  /** Where it has a request sent, or Envoy's name of the status with which it turns it away. */
  async pick(): Promise<string> {
    const client = extProcClient(this.process.port);
    try {
      const stream = EnvoyStream.open(client);
      stream.say(requestHeaders({ ':path': '/v1/chat/completions' }), requestBody(CHAT, true));
      await stream.has(1);
      stream.call.cancel();
      const [first] = stream.received;
      if (first?.immediate_response !== undefined) return String(first.immediate_response.status.code);
      return written(first?.request_headers?.response.header_mutation)['x-gateway-destination-endpoint'] ?? '';
    } finally {
      client.close();
    }
  }

  /** What gRPC health says of a service. */
  async health(service = ''): Promise<string | undefined> {
    return (await healthOn(this.process.healthPort, service)).status;
  }

  private async listed(): Promise<readonly { id: string; address: string; port: number }[]> {
    const answer = await fetch(`${this.process.adminUrl}/admin/endpoints`);
    // what the page is documented to have
    const { endpoints } = (await answer.json()) as { endpoints: { id: string; address: string; port: number }[] };
    return endpoints;
  }
}

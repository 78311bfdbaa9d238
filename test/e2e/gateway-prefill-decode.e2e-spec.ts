import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { endpointList } from './support/endpoint-list.ts';
import { freePort } from './support/free-port.ts';
import { PickerProcess } from './support/picker.process.ts';
import { sampleConfig } from './support/sample-config.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';
import { openChat, readText } from './support/streaming.client.ts';
import { TemporaryFolder } from './support/temporary-folder.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

const CHAT = {
  model: 'm',
  stream: true,
  max_tokens: 5,
  messages: [{ role: 'user', content: 'Who built the bridge?' }],
};

describe('prefill and decode at once behind the development gateway, which asks the picker', () => {
  const folder = new TemporaryFolder();
  let stack: Stack;
  let picker: PickerProcess;
  beforeAll(async () => {
    const port = await freePort();
    stack = await startStack({
      cluster: {
        workers: [{ role: 'prefill' }, { role: 'prefill' }, { role: 'decode' }],
        kv: 'sglang',
        ec: 'none',
        gateway: { picker: `127.0.0.1:${port}` },
      },
      steps: ['render', 'prefill-decode'],
      pipeline: { kv_connector: 'kv-sglang' },
    });
    const endpoints = folder.write('endpoints.yaml', endpointList(stack.cluster.workers));
    const config = sampleConfig('sglang.yaml', endpoints);
    picker = await PickerProcess.start({ name: 'all', config, flags: ['--secure-serving=false'] }, folder, port);
  });
  afterAll(async () => {
    picker.signal('SIGKILL');
    await Promise.all([picker.ended, stack.stop()]);
    folder.remove();
  });

  it.each(['one', 'two', 'three', 'four'])(
    'has the prefill of a request run where it was reserved (%s)',
    async (id) => {
      const answer = await openChat(stack.url, CHAT, { 'x-request-id': id });
      expect([answer.statusCode, (await readText(answer)).endsWith('data: [DONE]\n\n')]).toEqual([200, true]);
      const { requests } = stack.cluster;
      // the gateway's own answer, and no worker's
      expect(requests.of(`${id}-reserve`)).toMatchObject([{ server: 'gateway', status: 204 }]);
      const [prefill] = requests.of(`${id}-prefill`);
      expect(prefill?.status).toBe(200);
      const page = await fetch(`${picker.adminUrl}/admin/decisions`);
      // the page's shape
      const { decisions } = (await page.json()) as {
        decisions: readonly { requestId: string; profiles: readonly { picked: readonly string[] }[] }[];
      };
      const made = decisions.find(({ requestId }) => requestId === `${id}-reserve`);
      expect(made?.profiles[0]?.picked).toEqual([`default/${prefill?.server}`]);
    },
  );
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../control/json-value.ts';
import { mediaItem } from '../render/media-item.ts';
import { RED, imagePart } from '../testing/hand-driver.ts';
import { kvSource, requireNoTransfer } from './decode.checks.ts';
import { KvRegistry } from './kv-registry.ts';

const prompt = { tokenIds: Array.from({ length: 40 }, (_, i) => i), items: [] };
const FLAGS = { do_remote_decode: false, do_remote_prefill: true };
const peer = { engineId: 'e-1', host: 'h', port: 5600 };

describe('kvSource', () => {
  let registry: KvRegistry;
  let issued: JsonObject;

  beforeEach(() => {
    registry = new KvRegistry(60_000);
    issued = { ...registry.issueNixl(prompt, 16, peer), ...FLAGS };
  });

  const source = (params: unknown, sent = prompt): unknown =>
    kvSource('completions', { kv_transfer_params: params }, sent, 'nixl', registry);

  it('takes an issued descriptor once, with what the prefill had cached', () => {
    expect(source(issued)).toEqual({ remote: true, cachedTokens: 16 });
    expect(() => source(issued)).toThrow('were taken before');
  });

  it('computes the prompt itself without parameters, or with the flags alone', () => {
    const local = { remote: false, cachedTokens: 0 };
    expect(kvSource('chat', { messages: [] }, prompt, 'nixl', registry)).toEqual(local);
    expect(source(FLAGS)).toEqual(local);
    expect(
      source({ ...FLAGS, remote_engine_id: null, remote_block_ids: null, remote_host: null, remote_port: null }),
    ).toEqual(local);
  });

  it('finds the parameters of generate in extra_args', () => {
    const body = { sampling_params: { extra_args: { kv_transfer_params: issued } } };
    expect(kvSource('generate', body, prompt, 'nixl', registry)).toEqual({ remote: true, cachedTokens: 16 });
  });

  it('believes any descriptor where prefill runs elsewhere', () => {
    const foreign = { ...issued, remote_engine_id: 'e-9' };
    expect(kvSource('completions', { kv_transfer_params: foreign }, prompt, 'nixl', undefined)).toEqual({
      remote: true,
      cachedTokens: 0,
    });
  });

  const refused: { what: string; change: JsonObject; says: string }[] = [
    { what: 'prefill flags', change: { do_remote_prefill: false }, says: 'do_remote_prefill must be true' },
    { what: 'both flags', change: { do_remote_decode: true }, says: 'do_remote_decode must be false' },
    { what: 'another engine', change: { remote_engine_id: 'e-2' }, says: 'that no prefill has issued' },
    { what: 'other blocks', change: { remote_block_ids: [[900, 901]] }, says: 'that no prefill has issued' },
    { what: 'flattened blocks', change: { remote_block_ids: [1, 2, 3] }, says: 'that no prefill has issued' },
    { what: 'half a descriptor', change: { remote_host: undefined }, says: 'lacks remote_host' },
  ];
  it.each(refused)('refuses $what', ({ change, says }) => {
    expect(() => source({ ...issued, ...change })).toThrow(says);
  });

  it('refuses the descriptor of another prompt, and leaves it to its own', () => {
    expect(() => source(issued, { tokenIds: prompt.tokenIds.with(3, 77), items: [] })).toThrow('is not the one');
    expect(source(issued)).toMatchObject({ remote: true });
  });

  it('refuses a descriptor whose lease has run out', () => {
    const short = new KvRegistry(-1);
    const stale = { ...short.issueNixl(prompt, 0, peer), ...FLAGS };
    expect(() => kvSource('completions', { kv_transfer_params: stale }, prompt, 'nixl', short)).toThrow('has run out');
  });

  it('refuses parameters that are no object, and encoder parameters', () => {
    expect(() => source('yes')).toThrow('must be an object');
    expect(() => kvSource('completions', { ec_transfer_params: {} }, prompt, 'nixl', registry)).toThrow(
      'no ec_transfer_params',
    );
  });

  it('takes an sglang room once, and only one that a prefill opened', () => {
    const room = (name: string): unknown =>
      kvSource('completions', { kv_transfer_params: { ...FLAGS, bootstrap_room: name } }, prompt, 'sglang', registry);
    registry.openRoom('r-1', prompt, 0);
    expect(room('r-1')).toEqual({ remote: true, cachedTokens: 0 });
    expect(() => room('r-1')).toThrow('were taken before');
    expect(() => room('r-2')).toThrow('that no prefill has issued');
    expect(() => {
      registry.openRoom('r-1', prompt, 0);
    }).toThrow('is in use');
  });

  it('refuses a part whose uuid is not its own hash', () => {
    const hash = mediaItem(imagePart(RED), 'part')?.hash;
    const chat = (uuid: unknown): JsonObject => ({
      messages: [{ role: 'user', content: [{ ...imagePart(RED), uuid }] }],
    });
    expect(kvSource('chat', chat(hash), prompt, 'nixl', registry)).toMatchObject({ remote: false });
    expect(() => kvSource('chat', chat('bbbb'), prompt, 'nixl', registry)).toThrow('uuid is not the hash');
  });
});

describe('requireNoTransfer', () => {
  it.each(['kv_transfer_params', 'ec_transfer_params'])('refuses %s', (key) => {
    expect(() => {
      requireNoTransfer('chat', { [key]: {} });
    }).toThrow(key);
    expect(() => {
      requireNoTransfer('generate', { sampling_params: { extra_args: { [key]: {} } } });
    }).toThrow(key);
  });
});

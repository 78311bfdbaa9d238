import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../control/json-value.ts';
import type { PlacedItem } from '../render/rendered-prompt.ts';
import { processorKwargs } from '../render/processor-kwargs.ts';
import { NIXL_PREFILL } from '../testing/hand-driver.ts';
import { EcRegistry } from './ec-registry.ts';
import { prefillParams, requireEncoded } from './prefill.checks.ts';

const chat = { model: 'm', max_tokens: 1, stream: false, kv_transfer_params: NIXL_PREFILL };
const generate = {
  model: 'm',
  sampling_params: { max_tokens: 1, extra_args: { kv_transfer_params: NIXL_PREFILL } },
  stream: false,
};

describe('prefillParams', () => {
  it('finds the parameters at the top, and for generate in extra_args or at the top', () => {
    expect(prefillParams('chat', chat)).toEqual(NIXL_PREFILL);
    expect(prefillParams('generate', generate)).toEqual(NIXL_PREFILL);
    expect(prefillParams('generate', { ...chat, sampling_params: { max_tokens: 1 } })).toEqual(NIXL_PREFILL);
  });

  const params = (change: JsonObject): JsonObject => ({ kv_transfer_params: { ...NIXL_PREFILL, ...change } });
  it.each([
    { change: { kv_transfer_params: undefined }, says: 'kv_transfer_params must be an object' },
    { change: { kv_transfer_params: null }, says: 'kv_transfer_params must be an object' },
    { change: params({ do_remote_decode: false }), says: 'do_remote_decode must be true' },
    { change: params({ do_remote_decode: undefined }), says: 'do_remote_decode must be true' },
    { change: params({ do_remote_prefill: true }), says: 'do_remote_prefill must be false' },
    { change: params({ remote_host: '10.0.0.1' }), says: 'remote_host must be null' },
    { change: { stream: true }, says: 'stream must be false' },
  ])('refuses $change', ({ change, says }) => {
    expect(() => prefillParams('chat', { ...chat, ...change })).toThrow(says);
  });

  it('refuses a chat whose parameters are where only generate has them', () => {
    expect(() => prefillParams('chat', { ...generate, max_tokens: 1 })).toThrow('kv_transfer_params must be an object');
  });
});

describe('requireEncoded', () => {
  const item: PlacedItem = { modality: 'image', hash: 'aa', offset: 1, length: 6, grid: [1, 2, 3] };
  const prompt = { tokenIds: [1, 7, 7, 7, 7, 7, 7], items: [item] };
  let registry: EcRegistry;
  let descriptor: JsonObject;

  beforeEach(() => {
    registry = new EcRegistry();
    descriptor = registry.issue('aa', 6, { host: 'h', port: 1, agent: 'x' });
  });

  const check = (
    api: 'chat' | 'generate',
    body: JsonObject,
    ec: 'nixl' | 'shared-storage' | 'none',
    known: EcRegistry | undefined = registry,
  ): void => {
    requireEncoded(api, body, prompt, ec, known);
  };
  const kwargs = { features: { kwargs_data: { image: [processorKwargs(item)] } } };

  it('takes an issued descriptor, whatever the order of its keys', () => {
    const reversed = Object.fromEntries(Object.entries(descriptor).toReversed());
    expect(() => {
      check('chat', { ec_transfer_params: { aa: descriptor } }, 'nixl');
      check('chat', { ec_transfer_params: { aa: reversed } }, 'nixl');
    }).not.toThrow();
  });

  it('takes a prompt without media as it is', () => {
    expect(() => {
      requireEncoded('chat', {}, { tokenIds: [1], items: [] }, 'nixl', registry);
    }).not.toThrow();
  });

  it('takes any medium where prefill encodes itself, or shared storage has it', () => {
    expect(() => {
      check('chat', {}, 'none', new EcRegistry());
    }).not.toThrow();
    expect(() => {
      check('chat', {}, 'shared-storage');
    }).not.toThrow();
  });

  it('takes a generate with processor output, or with a hash that was encoded', () => {
    expect(() => {
      check('generate', kwargs, 'nixl', new EcRegistry());
    }).not.toThrow();
    expect(() => {
      check('generate', {}, 'nixl');
    }).not.toThrow();
  });

  it.each([
    { what: 'no descriptor', body: {}, ec: 'nixl' as const, says: 'image aa was not encoded' },
    { what: 'a null descriptor', body: { ec_transfer_params: { aa: null } }, ec: 'nixl' as const, says: 'not issued' },
    {
      what: 'an invented descriptor',
      body: { ec_transfer_params: { aa: { peer_host: 'h' } } },
      ec: 'nixl' as const,
      says: 'not issued',
    },
    {
      what: 'a descriptor of something else',
      body: { ec_transfer_params: { bb: {} } },
      ec: 'nixl' as const,
      says: 'bb, which is not in the prompt',
    },
    {
      what: 'descriptors for shared storage',
      body: { ec_transfer_params: {} },
      ec: 'shared-storage' as const,
      says: 'not for the shared-storage',
    },
  ])('refuses $what', ({ body, ec, says }) => {
    expect(() => {
      check('chat', body, ec);
    }).toThrow(says);
  });

  it('refuses what nobody has encoded: shared storage without it, a generate without output for it', () => {
    expect(() => {
      check('chat', {}, 'shared-storage', new EcRegistry());
    }).toThrow('was not encoded');
    expect(() => {
      check('generate', {}, 'nixl', new EcRegistry());
    }).toThrow('was not encoded');
  });
});

import { describe, expect, it } from '@jest/globals';
import { Director } from '../director.service.ts';
import { EndpointStore } from '../endpoint.store.ts';
import { loadPickerConfig } from '../picker-config/load-picker-config.ts';
import { buildPicker } from '../picker-config/picker.factory.ts';
import type { PickerParts } from '../picker-config/picker-parts.ts';
import { PLUGINS } from '../plugins.ts';
import { anEndpoint } from '../scheduling.fixture.ts';

const PODS = ['pod-a', 'pod-b', 'pod-c', 'pod-d'];
const PATH = '/v1/chat/completions';

function picker(plugins: string, endpoints = new EndpointStore()): PickerParts {
  const text = `{apiVersion: llm-d.ai/v1alpha1, kind: EndpointPickerConfig, plugins: [${plugins}]}`;
  return buildPicker(
    loadPickerConfig({ text }, () => undefined),
    { classes: PLUGINS, endpoints, warn: () => undefined },
  );
}

function director(plugins: string): Director {
  const endpoints = new EndpointStore();
  endpoints.replace(PODS.map((name, index) => anEndpoint({ name, address: `10.0.0.${index + 1}` })));
  return new Director(picker(plugins, endpoints), endpoints);
}

function asking(content: string, model = 'm'): Parameters<Director['route']>[0] {
  const body = Buffer.from(JSON.stringify({ model, messages: [{ role: 'user', content }] }));
  return { id: 'request-1', path: PATH, headers: new Map([[':path', PATH]]), body, subset: undefined };
}

describe('the producers of a picker', () => {
  it.each([
    ['{type: prefix-cache-scorer}', ['token-producer', 'approx-prefix-cache-producer']],
    [
      '{type: p2p-source-producer}, {type: inflight-load-producer}',
      ['token-producer', 'approx-prefix-cache-producer', 'p2p-source-producer', 'inflight-load-producer'],
    ],
  ])('of %s are asked in an order in which each has what it needs', (plugins, order) => {
    expect(picker(plugins).producers.map(({ name }) => name)).toEqual(order);
  });

  it('send a prompt where one with the same beginning was sent before', async () => {
    const sut = director('{type: prefix-cache-scorer}');
    const beginning = 'the same beginning '.repeat(40);
    const { destination } = await sut.route(asking(`${beginning}and one end`));
    for (let count = 0; count < 5; count++) {
      expect((await sut.route(asking(`${beginning}and end ${count}`))).destination).toBe(destination);
    }
  });

  it('take the blocks that the scorer is told', async () => {
    const sut = director('{type: prefix-cache-scorer, parameters: {autoTune: false, blockSizeTokens: 2}}');
    const { result } = await sut.route(asking('twelve bytes'));
    const match = result.profiles.get(result.primary)?.targets[0]?.prefixMatch('approx-prefix-cache-producer');
    expect(match).toEqual({ matchedBlocks: 0, totalBlocks: 2, blockSize: 2 });
  });

  it('count what is on its way, so that requests are spread', async () => {
    const sut = director('{type: active-request-scorer}');
    const first = await sut.route(asking('hello'));
    for (let count = 1; count < PODS.length; count++) await sut.route(asking('hello'));
    sut.ended(first, 'client_disconnect');
    expect((await sut.route(asking('hello'))).destination).toBe(first.destination);
  });

  it('are made as they are written', () => {
    const tokens = '{type: token-producer, parameters: {modelName: m, vllm: {timeout: 1s, mmTimeout: 2s}}}';
    expect(picker(tokens).producers[0]?.plugin.timeout).toBe(2000);
    const estimate =
      '{type: token-producer, parameters: {estimate: {image: {mode: static, static: {staticToken: 5}}}}}';
    expect(picker(estimate).producers[0]?.plugin.timeout).toBeUndefined();
  });

  it.each([
    [
      '{type: token-producer, parameters: {estimate: {}, modelName: m}}',
      "only one of 'estimate' and 'vllm' may be set",
    ],
    ['{type: p2p-source-producer, parameters: {minCachedTokenDelta: 0}}', 'minCachedTokenDelta must be >= 1, got 0'],
    ['{type: approx-prefix-cache-producer, parameters: {blockSizeToken: 1}}', 'blockSizeToken'],
    ['{type: prefix-cache-scorer, parameters: {autoTune: false, blockSizeTokens: 0}}', 'has to be above 0'],
  ])('%s is told to be wrong', (plugins, message) => {
    expect(() => picker(plugins)).toThrow(message);
  });
});

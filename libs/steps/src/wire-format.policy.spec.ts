import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { pipelineConfig } from '#pipeline';
import { aRequest } from '#testing';
import { WireFormatPolicy } from './wire-format.policy.ts';

function policy(pipeline: object = {}): WireFormatPolicy {
  const schema = pipelineConfig([], { kv: z.string(), ec: z.string() });
  return new WireFormatPolicy(schema.parse({ steps: [], ...pipeline }));
}

describe('WireFormatPolicy', () => {
  it.each([
    { deployment: true, own: undefined, target: 'chat' },
    { deployment: false, own: undefined, target: 'generate' },
    { deployment: true, own: false, target: 'generate' },
    { deployment: false, own: true, target: 'chat' },
  ])('sends chat as $target for deployment $deployment and step $own', ({ deployment, own, target }) => {
    expect(policy({ use_openai_format: deployment }).target('chat', own)).toBe(target);
  });

  it.each([
    { pipeline: {}, tokens: true, nested: true },
    { pipeline: { send_tokens_field: false }, tokens: false, nested: true },
    { pipeline: { generate_transfer_params: 'top_level' }, tokens: true, nested: false },
  ])('for $pipeline sends tokens: $tokens, nests transfer parameters: $nested', ({ pipeline, tokens, nested }) => {
    expect(policy(pipeline).sendsTokens).toBe(tokens);
    expect(policy(pipeline).nestsTransferParams).toBe(nested);
  });

  describe('headers', () => {
    it('has none of its own', () => {
      expect(policy().headers(aRequest())).toEqual([]);
    });

    it('has what earlier answers gave to relay, then the revision id', () => {
      const request = aRequest({
        scope: { revisionId: 'rev' },
        findings: { relayedHeaders: { 'x-a': '1', 'x-b': '2' } },
      });
      expect(policy().headers(request)).toEqual(['x-a', '1', 'x-b', '2', 'x-llm-d-revision-decision-id', 'rev']);
    });
  });

  describe('relayed', () => {
    const A = 'x-llm-d-disagg-revision';
    const relays = policy({ forward_response_headers: [A, 'x-b'] });
    const of = (...values: readonly (string | string[] | undefined)[]) => values.map((value) => ({ [A]: value }));

    it.each([
      ['the only value', of('r1'), 'r1'],
      ['the most frequent value', of('r1', 'r2', 'r2'), 'r2'],
      ['the earliest of equals', of('r2', 'r1', 'r1', 'r2'), 'r2'],
      ['the earliest of values that came once', of('r3', 'r1', 'r2'), 'r3'],
      ['the majority of the answers that have one', of(undefined, undefined, undefined, 'r1'), 'r1'],
      ['no empty value', of('', '', 'r1'), 'r1'],
      ['the first value of a line that came twice', of(['', 'r1', 'r2']), 'r1'],
    ])('takes %s', (_, answers, expected) => {
      expect(relays.relayed(aRequest(), answers)).toEqual({ [A]: expected });
    });

    it('takes nothing that is not listed', () => {
      expect(relays.relayed(aRequest(), [{ 'x-other': '1', server: 'uvicorn' }])).toEqual({});
      expect(policy({ forward_response_headers: [] }).relayed(aRequest(), of('r1'))).toEqual({});
    });

    it('relays the disaggregation revision by default', () => {
      expect(policy().relayed(aRequest(), of('r1'))).toEqual({ [A]: 'r1' });
    });

    it('chooses for each header by itself', () => {
      const answers = [{ [A]: 'r1', 'x-b': '1' }, { [A]: 'r1' }, { [A]: 'r2', 'x-b': '2' }, { 'x-b': '2' }];
      expect(relays.relayed(aRequest(), answers)).toEqual({ [A]: 'r1', 'x-b': '2' });
    });

    it('replaces what an earlier phase gave, and leaves what this one does not have', () => {
      const request = aRequest({ findings: { relayedHeaders: { [A]: 'r1', 'x-b': '1' } } });
      expect(relays.relayed(request, of('r2'))).toEqual({ [A]: 'r2', 'x-b': '1' });
      expect(relays.relayed(request, [])).toEqual({ [A]: 'r1', 'x-b': '1' });
      expect(request.relayedHeaders).toEqual({ [A]: 'r1', 'x-b': '1' });
    });
  });
});

import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../control/json-value.ts';
import { renderChat, renderText } from '../render/render-prompt.ts';
import { featuresOf } from '../render/rendered-prompt.ts';
import { imageChat, textChat } from '../testing/hand-driver.ts';
import { workerPrompt } from './worker-prompt.ts';

const rendered = renderChat(imageChat);
const features = featuresOf(rendered.items);
const chat = (tokens: unknown): JsonObject => ({ ...imageChat, tokens });
const generate = (change: JsonObject): JsonObject => ({ token_ids: rendered.tokenIds, features, ...change });

describe('workerPrompt', () => {
  it('takes the tokens of a chat when they are its own', () => {
    expect(workerPrompt('chat', chat({ token_ids: rendered.tokenIds, features }), true)).toEqual(rendered);
  });

  it('renders a chat without tokens itself', () => {
    expect(workerPrompt('chat', textChat, true)).toEqual(renderChat(textChat));
  });

  it('believes the tokens of a chat when it is not to verify them', () => {
    expect(workerPrompt('chat', { ...textChat, tokens: { token_ids: [1, 2] } }, false)).toEqual({
      tokenIds: [1, 2],
      items: [],
    });
  });

  it('takes completions as text or as ids, and generate as ids with features', () => {
    expect(workerPrompt('completions', { prompt: 'a b' }, true)).toEqual(renderText('a b'));
    expect(workerPrompt('completions', { prompt: [4, 5] }, true)).toEqual({ tokenIds: [4, 5], items: [] });
    expect(workerPrompt('generate', generate({}), true).items.map(({ hash }) => hash)).toEqual(
      rendered.items.map(({ hash }) => hash),
    );
  });

  const swapped = features && { ...features, mm_hashes: { image: features.mm_hashes.image?.toReversed() } };
  it.each([
    { what: 'another id', tokens: { token_ids: rendered.tokenIds.with(4, 1234), features }, says: 'from index 4 on' },
    {
      what: 'an id too few',
      tokens: { token_ids: rendered.tokenIds.slice(0, -1), features },
      says: 'does not match the prompt',
    },
    { what: 'an id too many', tokens: { token_ids: [...rendered.tokenIds, 5], features }, says: 'the prompt has' },
    {
      what: 'hashes in another order',
      tokens: { token_ids: rendered.tokenIds, features: swapped },
      says: 'tokens.features does not match',
    },
    { what: 'no features', tokens: { token_ids: rendered.tokenIds }, says: 'tokens.features does not match' },
    {
      what: 'processor output',
      tokens: { token_ids: rendered.tokenIds, features: { ...features, kwargs_data: {} } },
      says: 'kwargs_data',
    },
    { what: 'no ids', tokens: { token_ids: [] }, says: 'must not be empty' },
    { what: 'a fraction', tokens: { token_ids: [1.5] }, says: 'tokens.token_ids[0] is not a token id' },
    { what: 'a list of ids alone', tokens: [1, 2], says: 'tokens must be an object' },
  ])('refuses a chat whose tokens have $what', ({ tokens, says }) => {
    expect(() => workerPrompt('chat', chat(tokens), true)).toThrow(says);
  });

  it.each([
    {
      what: 'a placeholder past the end',
      features: { mm_hashes: { image: ['a'] }, mm_placeholders: { image: [{ offset: 1, length: 9999 }] } },
    },
    { what: 'a hash without a place', features: { mm_hashes: { image: ['a'] }, mm_placeholders: {} } },
    {
      what: 'an empty hash',
      features: { mm_hashes: { image: [''] }, mm_placeholders: { image: [{ offset: 1, length: 1 }] } },
    },
    { what: 'no hashes', features: { mm_placeholders: { image: [] } } },
    { what: 'a text in place of features', features: 'x' },
  ])('refuses a generate with $what', (change) => {
    expect(() => workerPrompt('generate', generate({ features: change.features }), true)).toThrow();
  });

  it.each([{ prompt: undefined }, { prompt: [] }, { prompt: ['a'] }, { prompt: [[1]] }, { prompt: [-1] }])(
    'refuses completions with the prompt $prompt',
    (body) => {
      expect(() => workerPrompt('completions', body, true)).toThrow();
    },
  );
});

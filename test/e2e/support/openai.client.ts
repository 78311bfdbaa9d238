import OpenAI from 'openai';
import type { ClientOptions } from 'openai';

/** The official client against a server; it repeats nothing unless told to. */
export function openAi(url: string, options: ClientOptions = {}): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-e2e', maxRetries: 0, ...options });
}

/** Options of one call with an id to find it by in the request log. */
export function withId(id: string): { headers: Record<string, string> } {
  return { headers: { 'x-request-id': id } };
}

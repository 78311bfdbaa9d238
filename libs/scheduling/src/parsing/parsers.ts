import type { PluginClass } from '../scheduling-plugin.decorator.ts';
import { AnthropicParser } from './anthropic.parser.ts';
import { OpenAiParser } from './openai.parser.ts';
import { PassthroughParser } from './passthrough.parser.ts';
import { VllmHttpParser } from './vllm-http.parser.ts';

export const PARSERS: readonly PluginClass<never>[] = [
  OpenAiParser,
  AnthropicParser,
  VllmHttpParser,
  PassthroughParser,
];

import { asList, asObject, isObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import { mediaItem } from './media-item.ts';
import { PromptBuilder } from './rendered-prompt.ts';
import type { RenderedPrompt } from './rendered-prompt.ts';

/** @throws WireError 400 for messages that a chat template cannot take */
export function renderChat(body: JsonObject): RenderedPrompt {
  const messages = asList(body['messages'], 'messages');
  if (messages.length === 0) throw new WireError('messages must not be empty');
  const prompt = new PromptBuilder();
  addTools(prompt, body);
  messages.forEach((message, index) => {
    addMessage(prompt, asObject(message, `messages[${index}]`), `messages[${index}]`);
  });
  return begunAnswer(prompt);
}

/** `/v1/responses`: `instructions` first, then `input`, a string or a list of items. */
export function renderResponses(body: JsonObject): RenderedPrompt {
  const { input, instructions } = body;
  const prompt = new PromptBuilder();
  addTools(prompt, body);
  if (typeof instructions === 'string') addMessage(prompt, { role: 'system', content: instructions }, 'instructions');
  if (typeof input === 'string') {
    addMessage(prompt, { role: 'user', content: input }, 'input');
  } else {
    asList(input, 'input').forEach((value, index) => {
      const item = asObject(value, `input[${index}]`);
      const content = item['content'] ?? item['output'];
      addMessage(prompt, { ...item, role: item['role'] ?? item['type'], content }, `input[${index}]`);
    });
  }
  return begunAnswer(prompt);
}

export function renderText(prompt: string): RenderedPrompt {
  return new PromptBuilder().text(prompt).build();
}

function addTools(prompt: PromptBuilder, body: JsonObject): void {
  const tools = asList(body['tools'], 'tools');
  if (tools.length > 0) addMessage(prompt, { role: 'tools', content: JSON.stringify(tools) }, 'tools');
}

function addMessage(prompt: PromptBuilder, message: JsonObject, where: string): void {
  const { role, content } = message;
  if (typeof role !== 'string') throw new WireError(`${where} has no role`);
  prompt.special('messageStart').text(role);
  if (typeof content === 'string') {
    prompt.text(content);
  } else {
    asList(content, `${where}.content`).forEach((part, index) => {
      addPart(prompt, part, `${where}.content[${index}]`);
    });
  }
  for (const key of ['tool_calls', 'arguments']) {
    if (message[key] !== undefined && message[key] !== null) prompt.text(JSON.stringify(message[key]));
  }
  prompt.special('messageEnd');
}

/** A part without a `type` is text, whatever its keys. */
function addPart(prompt: PromptBuilder, part: unknown, where: string): void {
  if (!isObject(part) || part['type'] === undefined) {
    prompt.text(typeof part === 'string' ? part : JSON.stringify(part));
    return;
  }
  const item = mediaItem(part, where);
  if (item !== undefined) {
    prompt.media(item);
  } else if (typeof part['text'] === 'string') {
    prompt.text(part['text']);
  } else {
    throw new WireError(`${where}: unknown part type ${JSON.stringify(part['type'])}`);
  }
}

function begunAnswer(prompt: PromptBuilder): RenderedPrompt {
  return prompt.special('messageStart').text('assistant').build();
}

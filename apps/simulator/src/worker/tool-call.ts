import { asList, isObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import type { InferenceApi } from './inference-api.ts';

export interface ToolRequest {
  readonly name: string;
  /** The JSON text of the arguments: one value for each property of the tool's schema. */
  readonly argumentsText: string;
}

/** The tool that the answer must call: `tool_choice` is `required`, or names one. @throws WireError 400 when there is no such tool */
export function requestedTool(api: InferenceApi, body: JsonObject): ToolRequest | undefined {
  if (api !== 'chat' && api !== 'responses') return undefined;
  const name = chosenName(body['tool_choice']);
  if (name === undefined) return undefined;
  const tools = asList(body['tools'], 'tools').filter(isObject).map(functionOf);
  const tool = name === ANY ? tools[0] : tools.find((candidate) => candidate['name'] === name);
  if (tool === undefined)
    throw new WireError(`tool_choice asks for ${name === ANY ? 'a tool' : name}, tools has none such`);
  const parameters = isObject(tool['parameters']) ? tool['parameters'] : {};
  return { name: String(tool['name']), argumentsText: JSON.stringify(exampleOf({ type: 'object', ...parameters })) };
}

const ANY = Symbol('any tool');

function chosenName(choice: unknown): string | typeof ANY | undefined {
  if (choice === 'required') return ANY;
  if (!isObject(choice)) return undefined;
  const name = functionOf(choice)['name'];
  return typeof name === 'string' ? name : undefined;
}

/** Chat puts name and parameters into `function`, responses beside `type`. */
function functionOf(tool: JsonObject): JsonObject {
  return isObject(tool['function']) ? tool['function'] : tool;
}

function exampleOf(schema: unknown): unknown {
  if (!isObject(schema)) return 'value';
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  switch (schema['type']) {
    case 'object': {
      const properties = isObject(schema['properties']) ? schema['properties'] : {};
      return Object.fromEntries(Object.entries(properties).map(([key, property]) => [key, exampleOf(property)]));
    }
    case 'array':
      return [exampleOf(schema['items'])];
    case 'integer':
    case 'number':
      return 7;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'value';
  }
}

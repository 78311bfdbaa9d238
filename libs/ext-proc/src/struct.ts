/** `google.protobuf.Value`; protobufjs has this definition itself, in camel case. */
export interface StructValue {
  readonly nullValue?: 'NULL_VALUE';
  readonly numberValue?: number;
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly structValue?: Struct;
  readonly listValue?: { readonly values?: readonly StructValue[] };
}

/** `google.protobuf.Struct`: a JSON object. */
export interface Struct {
  readonly fields?: Readonly<Record<string, StructValue>>;
}

export type JsonData = null | number | string | boolean | readonly JsonData[] | JsonFields;

export interface JsonFields {
  readonly [key: string]: JsonData;
}

export function encodeStruct(data: JsonFields): Struct {
  return { fields: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encodeValue(value)])) };
}

/** A value without a kind counts as null. */
export function decodeStruct({ fields = {} }: Struct): JsonFields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, decodeValue(value)]));
}

function encodeValue(data: JsonData): StructValue {
  if (data === null) return { nullValue: 'NULL_VALUE' };
  if (typeof data === 'number') return { numberValue: data };
  if (typeof data === 'string') return { stringValue: data };
  if (typeof data === 'boolean') return { boolValue: data };
  return isList(data) ? { listValue: { values: data.map(encodeValue) } } : { structValue: encodeStruct(data) };
}

function decodeValue({ numberValue, stringValue, boolValue, structValue, listValue }: StructValue): JsonData {
  if (structValue !== undefined) return decodeStruct(structValue);
  if (listValue !== undefined) return (listValue.values ?? []).map(decodeValue);
  return numberValue ?? stringValue ?? boolValue ?? null;
}

/** Of data; `Array.isArray` does not tell a readonly array from the rest. */
export function isList(data: JsonData | undefined): data is readonly JsonData[] {
  return Array.isArray(data);
}

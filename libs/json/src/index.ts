export { JsonObject } from './json-object.ts';
export { decodeString } from './json-member.ts';
export type { JsonMember } from './json-member.ts';
export { skipWhitespace } from './json-bytes.ts';
export { stringEnd } from './json-scan.ts';
export {
  buildObject,
  cutRope,
  entriesObject,
  joinRope,
  jsonString,
  packRope,
  rawJson,
  RopeBuilder,
  ropeLength,
} from './json-rope.ts';
export type { BuiltValue, Rope } from './json-rope.ts';
export { memberSplices } from './member-splice.ts';
export type { Splice } from './json-splice.ts';
export { JsonSyntaxError, MAX_DEPTH } from './json-syntax.error.ts';
export { JsonValidator } from './json-validator.ts';
export { JsonValue } from './json-value.ts';
export type { JsonKind } from './json-value.ts';
export { TokenArray, TokenArrayError } from './token-array.ts';
export { validatedObject } from './validate.ts';

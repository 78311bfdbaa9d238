/** A `google.protobuf.Value` that is a list of strings, as the filter of Envoy's configuration reads it from a header. */
export function listInBase64(items: readonly string[]): string {
  const values = items.map((item) => field(VALUES, field(STRING, Buffer.from(item))));
  return field(LIST, Buffer.concat(values)).toString('base64');
}

/** Numbers of fields in `google/protobuf/struct.proto`. */
const [VALUES, STRING, LIST] = [1, 3, 6];

/** A field that has a length. */
function field(number: number, bytes: Buffer): Buffer {
  if (bytes.length >= 16_384) throw new Error('a length of three bytes is not needed here');
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}

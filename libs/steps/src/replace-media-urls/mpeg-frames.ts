const SYNC = 0xff;

/** kbit/s by the header's index; 0 (free format) and 15 are not taken for a frame. */
const BITRATES = {
  layer3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  layer2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  lowRate: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** Hz of MPEG-1; MPEG-2 halves them, MPEG-2.5 halves them again. */
const SAMPLE_RATES = [44100, 48000, 32000];

/**
 * Whether content starts with a frame of layer II or III. The sync word alone is too common: the header must make sense, and
 * where a second frame fits, it must be there.
 */
export function isMpegAudioFrame(content: Buffer): boolean {
  const length = frameLength(content, 0);
  if (length === undefined) return false;
  return content.length < length + 4 || frameLength(content, length) !== undefined;
}

/** ADTS: MPEG-2 or MPEG-4, layer always 0, a sampling index that exists. */
export function isAacFrame(content: Buffer): boolean {
  const [sync, version = 0, profile = 0] = content;
  return sync === SYNC && (version & 0xf6) === 0xf0 && ((profile >> 2) & 0x0f) < 13;
}

/** A sync byte at the start of each packet: 188 bytes, or 192 with a time stamp before each. */
export function isTransportStream(content: Buffer): boolean {
  return hasPackets(content, 0, 188) || hasPackets(content, 4, 192);
}

function hasPackets(content: Buffer, first: number, size: number): boolean {
  const third = first + 2 * size;
  return (
    content[first] === 0x47 && content[first + size] === 0x47 && (content.length <= third || content[third] === 0x47)
  );
}

/** Bytes of the frame at `at`, undefined when there is none. */
function frameLength(content: Buffer, at: number): number | undefined {
  const header = content.subarray(at, at + 4);
  if (!isSynchronized(header)) return undefined;
  const version = header.readUInt8(1);
  const rates = header.readUInt8(2);
  const generation = (version >> 3) & 3; // 0: 2.5, 1: reserved, 2: 2, 3: 1
  const layer = (version >> 1) & 3; // 1: III, 2: II, 3: I, 0: reserved
  const bitrate = bitratesOf(generation, layer)?.[rates >> 4] ?? 0;
  const sampleRate = SAMPLE_RATES[(rates >> 2) & 3];
  if (generation === 1 || bitrate === 0 || sampleRate === undefined) return undefined;
  const divisor = [4, 1, 2, 1][generation] ?? 1;
  const samples = layer === 1 && generation !== 3 ? 72 : 144;
  return Math.floor((samples * bitrate * 1000 * divisor) / sampleRate) + ((rates >> 1) & 1);
}

function isSynchronized(header: Buffer): boolean {
  const [sync, version = 0] = header;
  return header.length === 4 && sync === SYNC && (version & 0xe0) === 0xe0;
}

function bitratesOf(generation: number, layer: number): readonly number[] | undefined {
  if (layer !== 1 && layer !== 2) return undefined;
  if (generation !== 3) return BITRATES.lowRate;
  return layer === 1 ? BITRATES.layer3 : BITRATES.layer2;
}

/** Numbers in [0, limit), the same ones for the same seed (mulberry32). */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** Documents of the kinds that pass through the service, and the corners of the grammar. */
const SEEDS = [
  '{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"seed":9007199254740993}',
  '{ "model" : "a" , "mod\\u0065l":"b","stream":true, "messages": [ ] ,"stream":false}',
  '{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"text","text":"x \\ud83d y"}]}]}',
  '{"tools":[{"function":{"parameters":{"properties":{"zebra":{},"__proto__":{"type":"string"},"apple":[]}}}}]}',
  '{"a":165598928036513123123,"b":0.123000000000000005123,"c":1.0,"d":-0,"e":1E5,"f":1e400,"g":[1e-05,-1.5E+10]}',
  `{"token_ids":[${Array.from({ length: 300 }, (_, id) => id * 37).join(',')}],"kv_transfer_params":null}`,
  `[ ${Array.from({ length: 120 }, (_, id) => id).join(' , ')} ]`,
  '[3.0,1e2,9223372036854775807,0,-0,10]',
  `{"text":"${'\\"quoted\\" and \\\\ plain \\u00e9 é 😀 '.repeat(12)}","${'k'.repeat(70)}":"${'x'.repeat(200)}"}`,
  `{"deep":${'[1,{"a":'.repeat(40)}"]}"${'}]'.repeat(40)}}`,
  `${'['.repeat(511)}{}${']'.repeat(511)}`,
  `[1,"]",${'111,'.repeat(90)}{"a":"]"},[2,"}"],${'3,'.repeat(150)}"[",4]`,
  `{"o":{"ids":[${'7,'.repeat(130)}"]}"],"more":[${'7,'.repeat(130)}{"]":"["}]},"end":[1,[2,"]"]]}`,
  `{"a":"${'x'.repeat(60)}\\\\","b":"${'y'.repeat(45)}\\\\\\"","c":"${'z'.repeat(300)}\\\\\\\\","d":[{"e":"]"}]}`,
  '{}',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t"',
  ' null ',
];

const FRAGMENTS = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\"',
    '\\\\',
    '\\u0041',
    '\\ud83d',
    '\\u12',
    '\\u12g4',
    '\\x',
    '0',
    '00',
    '-',
    '1.',
    '1e',
  ],
  ...[
    '1E+5',
    '-0',
    '.5',
    'true',
    'false',
    'null',
    'nul',
    'NaN',
    '[]',
    '{}',
    '""',
    '"a":1,',
    ',"a":2',
    '"\\u0061":[3]',
    ' ',
    '\n',
  ],
  ...[
    '\t',
    '\r',
    '\0',
    '\x1f',
    '\x7f',
    '\u00a0',
    '\ufeff',
    'é',
    '😀',
    '9'.repeat(20),
    'x'.repeat(65),
    '[1,'.repeat(90),
  ],
  `[${'12345,'.repeat(60)}6]`,
].map((text) => Buffer.from(text));

const TOKEN = /"(?:[^"\\]|\\.)*"?|[-+.\w]+|\s+|[^]/gu;
/** Longest document that is made: what takes long on these is no matter of size. */
const MAX_LENGTH = 8192;

/** Makes documents out of the seeds and out of those that were added: by token, by fragment and by byte. */
export class JsonMutator {
  #pool = SEEDS.map((text) => Buffer.from(text));
  #random;

  constructor(random) {
    this.#random = random;
  }

  /** The seeds as they are. */
  get seeds() {
    return this.#pool.slice(0, SEEDS.length);
  }

  /** Lets later documents come from this one too. */
  add(document) {
    const place = this.#pool.length < 400 ? this.#pool.length : SEEDS.length + this.#random(400 - SEEDS.length);
    this.#pool[place] = document;
  }

  next() {
    let document = this.#document();
    for (let times = 1 + this.#random(4); times > 0; times--) document = this.#mutate(document);
    return document.subarray(0, MAX_LENGTH);
  }

  #mutate(document) {
    const at = this.#random(document.length + 1);
    switch (this.#random(8)) {
      case 0:
        return splice(document, at, 1, Buffer.from([this.#random(256)]));
      case 1:
        return splice(document, at, 1 + this.#random(this.#random(2) ? 2 : 40), Buffer.alloc(0));
      case 2:
        return document.subarray(0, at);
      case 3:
        return splice(document, at, this.#random(2), this.#pick(FRAGMENTS));
      default:
        return this.#mutateTokens(document);
    }
  }

  #mutateTokens(document) {
    const tokens = document.toString().match(TOKEN) ?? [''];
    const at = this.#random(tokens.length);
    switch (this.#random(6)) {
      case 0:
        tokens.splice(at, 1 + this.#random(6));
        break;
      case 1:
        tokens.splice(at, 0, ...tokens.slice(this.#random(tokens.length)).slice(0, 1 + this.#random(12)));
        break;
      case 2:
        tokens.splice(at, 1, this.#pick(FRAGMENTS).toString());
        break;
      case 3:
        [tokens[at], tokens[at + 1]] = [tokens[at + 1] ?? '', tokens[at]];
        break;
      case 4:
        tokens.splice(at, this.#random(2), this.#document().toString());
        break;
      default:
        tokens[at] = this.#respelled(tokens[at]);
    }
    return Buffer.from(tokens.join(''));
  }

  /** The same token written otherwise: a letter of a string as an escape, a number with a fraction, white space around. */
  #respelled(token) {
    if (/^"[\w ]+"$/.test(token)) {
      const at = 1 + this.#random(token.length - 2);
      const code = token.charCodeAt(at).toString(16).padStart(4, '0');
      return `${token.slice(0, at)}\\u${code}${token.slice(at + 1)}`;
    }
    if (/^\d+$/.test(token) && this.#random(4) === 0) return `0${token}`;
    return /^\d+$/.test(token) ? `${token}${this.#pick(['.0', 'e0', 'E+1', '0', '.5', 'e-1'])}` : `\n ${token}\t`;
  }

  /** A seed every other time: what grows from documents that were accepted grows ever shorter. */
  #document() {
    return this.#pool[this.#random(this.#random(2) ? SEEDS.length : this.#pool.length)];
  }

  #pick(list) {
    return list[this.#random(list.length)];
  }
}

function splice(document, at, removed, inserted) {
  return Buffer.concat([document.subarray(0, at), inserted, document.subarray(at + removed)]);
}

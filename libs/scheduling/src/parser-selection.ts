import type { Parser } from './plugin.ts';
import { SchedulingError } from './scheduling.error.ts';
import type { ParsedRequest, RequestHeaders } from './scheduling-request.ts';

/** Chooses the parser of a path: the one with the longest end that fits, or else the one that takes the rest. */
export class ParserSelection {
  private readonly bySuffix: readonly { readonly suffix: string; readonly parser: Parser }[];
  private readonly fallback: Parser | undefined;

  constructor(parsers: readonly Parser[]) {
    this.bySuffix = parsers
      .flatMap((parser) => parser.suffixes.map((suffix) => ({ suffix, parser })))
      .toSorted((a, b) => b.suffix.length - a.suffix.length);
    this.fallback = parsers.find(({ suffixes }) => suffixes.length === 0);
  }

  /** @throws SchedulingError with BadRequest where no parser fits, or the body is not what the path promises */
  parse(path: string, body: Buffer, headers: RequestHeaders): ParsedRequest | Promise<ParsedRequest> {
    const [bare = ''] = path.split('?', 1);
    const parser = this.bySuffix.find(({ suffix }) => bare.endsWith(suffix))?.parser ?? this.fallback;
    // the path is the client's and may be anything
    if (parser === undefined)
      throw new SchedulingError('BadRequest', `no parser registered matching path suffix for: ${bare.slice(0, 128)}`);
    return parser.parse(body, headers, bare);
  }
}

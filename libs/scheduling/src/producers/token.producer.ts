import { paced } from '../parsing/paced.ts';
import type { Candidate } from '../candidate.ts';
import { TOKEN_PRODUCER } from '../default-producers.ts';
import type { Producer } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest, TokenizedPrompt } from '../scheduling-request.ts';
import { estimateTokens } from './estimate.ts';
import { estimateParamsOf, tokenParams, vllmParamsOf } from './token.params.ts';
import type { TokenParams } from './token.params.ts';
import { VllmTokenizer } from './vllm-tokenizer.ts';

type MadeTokens = readonly TokenizedPrompt[] | Promise<readonly TokenizedPrompt[]>;

/** Makes tokens of the prompts that a body has in words. Those that it has as tokens stay as they are. */
@SchedulingPlugin({ type: TOKEN_PRODUCER, formerly: ['tokenizer'], parameters: tokenParams })
export class TokenProducer implements Producer {
  readonly timeout?: number;
  private readonly tokenize: (request: SchedulingRequest, signal?: AbortSignal) => MadeTokens;

  constructor(params: TokenParams) {
    const remote = vllmParamsOf(params);
    if (remote === undefined) {
      const estimate = estimateParamsOf(params);
      this.tokenize = ({ parsed, headers }) => paced(estimateTokens(parsed.words ?? [], { headers, params: estimate }));
    } else {
      const vllm = new VllmTokenizer(remote);
      this.tokenize = ({ parsed }, signal) => vllm.tokenize(parsed, signal);
      this.timeout = vllm.timeout;
    }
  }

  /** @throws Error when a render service has to be asked and does not answer */
  produce(request: SchedulingRequest, _candidates: readonly Candidate[], signal?: AbortSignal): Promise<void> | void {
    const { words = [], prompts } = request.parsed;
    if (words.length === 0 || prompts().length > 0) return;
    const made = this.tokenize(request, signal);
    if (made instanceof Promise) return made.then((tokenized) => note(request, tokenized));
    note(request, made);
  }
}

/** Prompts of which nothing is left count as none. */
function note(request: SchedulingRequest, prompts: readonly TokenizedPrompt[]): void {
  if (prompts.some(({ ids }) => ids.length > 0)) request.tokenized = prompts;
}

import type { InferenceApi } from '../inference-api.ts';
import type { Answer, AnswerFormat } from './answer.ts';
import { ChatAnswer } from './chat-answer.ts';
import { CompletionsAnswer } from './completions-answer.ts';
import { GenerateAnswer } from './generate-answer.ts';
import { ResponsesAnswer } from './responses-answer.ts';

export function answerFormat(api: InferenceApi, answer: Answer): AnswerFormat {
  switch (api) {
    case 'chat':
      return new ChatAnswer(answer);
    case 'completions':
      return new CompletionsAnswer(answer);
    case 'responses':
      return new ResponsesAnswer(answer);
    case 'generate':
      return new GenerateAnswer(answer);
  }
}

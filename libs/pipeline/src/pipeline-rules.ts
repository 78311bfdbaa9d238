import type { StepMetadata } from './pipeline-step.decorator.ts';

/** One thing that is wrong with the pipeline as a whole, at a path of the configuration. */
export interface PipelineProblem {
  readonly path: string;
  readonly message: string;
}

/** The parts of the `pipeline` section that the rules look at, as they stand in the file: nothing in it was checked yet. */
export interface RawPipeline {
  readonly use_openai_format?: unknown;
  readonly steps?: unknown;
}

/**
 * What no single value shows: whether the steps make a pipeline. It reads the file as it is, so that these problems are listed
 * beside those of single values.
 * @see decisions.md R8, coordinator.md G.4
 */
export function pipelineProblems(raw: RawPipeline, known: readonly StepMetadata[]): PipelineProblem[] {
  const steps: unknown[] = Array.isArray(raw.steps) ? raw.steps : [];
  const types = steps.map((step) => (isRecord(step) ? step['type'] : undefined));
  const metadata = types.map((type) => known.find((candidate) => candidate.type === type));
  return [
    ...duplicateProblems(known),
    ...firstStepProblems(metadata),
    ...lastStepProblems(metadata),
    ...(metadata.some((step) => step?.makesTokens === true) ? [] : tokensInProblems(raw, steps)),
  ];
}

/** Two classes of one type: only a module that was added can bring the second one. */
function duplicateProblems(known: readonly StepMetadata[]): PipelineProblem[] {
  const types = known.map(({ type }) => type);
  const repeated = new Set(types.filter((type, index) => types.indexOf(type) !== index));
  return [...repeated].map((type) => ({
    path: 'pipeline.modules',
    message: `two steps have the type "${type}": rename one in its @PipelineStep`,
  }));
}

function firstStepProblems(metadata: readonly (StepMetadata | undefined)[]): PipelineProblem[] {
  return metadata.flatMap((step, index) => {
    if (step?.isFirst !== true || index === 0) return [];
    const message = `the "${step.type}" step must be the first pipeline step, found it at position ${index + 1}`;
    return { path: `pipeline.steps[${index}]`, message };
  });
}

function lastStepProblems(metadata: readonly (StepMetadata | undefined)[]): PipelineProblem[] {
  if (metadata.length === 0) {
    const message = 'is empty: end it with a step that answers the client, such as decode';
    return [{ path: 'pipeline.steps', message }];
  }
  const last = metadata.at(-1);
  if (last === undefined || last.answers === true) return [];
  const path = `pipeline.steps[${metadata.length - 1}]`;
  return [{ path, message: `${last.type} cannot answer the client: the last step must, such as decode` }];
}

function tokensInProblems(raw: RawPipeline, steps: readonly unknown[]): PipelineProblem[] {
  const overrides = steps.map((step) => {
    const params = isRecord(step) ? step['params'] : undefined;
    return isRecord(params) ? params['use_openai_format'] : undefined;
  });
  return [raw.use_openai_format, ...overrides].flatMap((value, index) =>
    value !== false
      ? []
      : {
          path: index === 0 ? 'pipeline.use_openai_format' : `pipeline.steps[${index - 1}].params.use_openai_format`,
          message: 'use_openai_format: false requires a "render" step, which makes the tokens it sends',
        },
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

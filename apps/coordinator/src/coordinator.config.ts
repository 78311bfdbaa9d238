import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { ConfigError, parseTree, readTree } from '#config';
import type { ConfigLayers, ConfigProblem, ConfigTree, ParsedConfig } from '#config';
import { ecConnectorName, kvConnectorName } from '#connectors';
import { gatewayConfig } from '#gateway';
import { loadStepModule, pipelineConfig, pipelineProblems, stepMetadata } from '#pipeline';
import type { StepClass, StepMetadata } from '#pipeline';
import { readinessConfig } from '#runtime';
import { serverConfig } from '#server';
import { BUILT_IN_STEPS, kvConnectorProblems, kvConnectorWarning } from '#steps';
import { telemetryConfig } from '#telemetry';
import { stepKit } from './step-kit.ts';

/** The whole configuration, for the steps that there are: each section belongs to its lib. */
export function coordinatorConfig(steps: readonly StepMetadata[]) {
  return z.strictObject({
    ...telemetryConfig,
    server: serverConfig.prefault({}),
    gateway: gatewayConfig,
    pipeline: pipelineConfig(steps, { kv: kvConnectorName, ec: ecConnectorName }),
    readiness: readinessConfig,
  });
}

export type CoordinatorConfig = Readonly<z.output<ReturnType<typeof coordinatorConfig>>>;

/** The configuration, and the steps that modules outside this repository bring. */
export interface LoadedConfig extends ParsedConfig<CoordinatorConfig> {
  readonly stepClasses: readonly StepClass[];
}

/** Where the configuration comes from. */
export interface CoordinatorSource extends ConfigLayers {
  readonly file: string;
}

/** @throws ConfigError with every problem of the file, the environment and the flags */
export async function loadCoordinatorConfig(source: CoordinatorSource): Promise<LoadedConfig> {
  const tree = readTree({ file: source.file });
  const outline = pipelineOutline(tree, source);
  const problems: ConfigProblem[] = [];
  const stepClasses = await loadModules(outline.modules ?? [], dirname(resolve(source.file)), problems);
  const steps = stepsOf([...BUILT_IN_STEPS, ...stepClasses]);
  problems.push(...pipelineProblems(outline, steps), ...kvConnectorProblems(outline));
  try {
    const parsed = parseTree(tree, coordinatorConfig(steps), source);
    if (problems.length === 0)
      return { ...parsed, warnings: [...parsed.warnings, ...warningsOf(outline)], stepClasses };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.unshift(...error.problems);
  }
  throw new ConfigError(`${source.file} is invalid`, problems);
}

/** What the decorators recorded on the classes. */
export function stepsOf(classes: readonly object[]): readonly StepMetadata[] {
  return classes.map(stepMetadata).filter((metadata) => metadata !== undefined);
}

/** The part of the file that decides which steps there are, read before any step's schema is known. */
const outlineSchema = z.looseObject({
  pipeline: z
    .looseObject({
      modules: z.array(z.string()).optional(),
      kv_connector: z.string().optional(),
      use_openai_format: z.boolean().optional(),
      steps: z.array(z.unknown()).optional(),
    })
    .prefault({}),
});

type Outline = z.output<typeof outlineSchema>['pipeline'];

function pipelineOutline(tree: ConfigTree, layers: ConfigLayers): Outline {
  try {
    return parseTree(tree, outlineSchema, { ...layers, overrides: {} }).config.pipeline;
  } catch (error) {
    // the whole schema says the same, and better
    if (error instanceof ConfigError) return {};
    throw error;
  }
}

function warningsOf(outline: Outline): readonly string[] {
  const warning = kvConnectorWarning(outline);
  return warning === undefined ? [] : [warning];
}

async function loadModules(
  specifiers: readonly string[],
  folder: string,
  problems: ConfigProblem[],
): Promise<readonly StepClass[]> {
  const classes: StepClass[] = [];
  for (const [index, specifier] of specifiers.entries()) {
    try {
      classes.push(...(await loadStepModule(specifier, folder, stepKit)));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      problems.push({ path: `pipeline.modules[${index}]`, message: `cannot be loaded: ${reason}` });
    }
  }
  return classes;
}

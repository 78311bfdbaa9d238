import { readFileSync } from 'node:fs';

/** A stage of the Dockerfile: what it begins with, and its instructions in order, each on one line. */
export interface DockerStage {
  readonly name: string;
  readonly from: string;
  readonly instructions: readonly DockerInstruction[];
}

export interface DockerInstruction {
  readonly keyword: string;
  readonly value: string;
}

/** What a container of an image is started with. */
export interface ImageStart {
  readonly entrypoint: readonly string[];
  /** Arguments, unless others are given. */
  readonly cmd: readonly string[];
  readonly user: string;
  /** `NAME=value`, with build arguments as they are by default. */
  readonly env: readonly string[];
}

export function dockerStages(): readonly DockerStage[] {
  const text = readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8');
  const stages: { name: string; from: string; instructions: DockerInstruction[] }[] = [];
  for (const { keyword, value } of instructionsOf(text)) {
    if (keyword === 'FROM') {
      const [from = '', name = ''] = value.split(/\s+AS\s+/i);
      stages.push({ name, from, instructions: [] });
    } else stages.at(-1)?.instructions.push({ keyword, value });
  }
  return stages;
}

/** Values of an instruction in a stage and in those that it is made from, the oldest first. */
export function valuesOf(target: string, keyword: string): readonly string[] {
  const stage = dockerStages().find(({ name }) => name === target);
  if (stage === undefined) return [];
  const own = stage.instructions.filter((instruction) => instruction.keyword === keyword).map(({ value }) => value);
  return [...valuesOf(stage.from, keyword), ...own];
}

export function startOf(target: string): ImageStart {
  const args = new Map(valuesOf(target, 'ARG').map((arg) => /^(\w+)=?(.*)$/.exec(arg)?.slice(1) as [string, string])); // it has no other form
  const env = valuesOf(target, 'ENV').flatMap((line) => line.split(/\s+/));
  return {
    entrypoint: execForm(valuesOf(target, 'ENTRYPOINT').at(-1)),
    cmd: execForm(valuesOf(target, 'CMD').at(-1)),
    user: valuesOf(target, 'USER').at(-1) ?? '',
    env: env.map((one) => one.replaceAll(/\$(\w+)/g, (_, name: string) => args.get(name) ?? '')),
  };
}

/** @throws SyntaxError for the form that needs a shell */
function execForm(value = '[]'): readonly string[] {
  return JSON.parse(value) as string[]; // of the exec form nothing else comes
}

function instructionsOf(text: string): readonly DockerInstruction[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, keyword = '', value = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    return { keyword, value: value.trim() };
  });
}

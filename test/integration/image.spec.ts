import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { IMAGES, mainOf } from '../../config/images/apps.mjs';
import { dockerStages, startOf, valuesOf } from '../e2e/support/dockerfile.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const images = Object.entries(IMAGES);

describe('the Dockerfile', () => {
  const [build, ...rest] = dockerStages();
  const runs = valuesOf('assembled', 'RUN');

  it('builds on a base that is pinned by digest, and bases images on nothing', () => {
    expect(build?.from).toMatch(/^node:24-\S+@sha256:[0-9a-f]{64}$/);
    const names = rest.map(({ name }) => name);
    expect(rest.filter(({ from }) => from !== 'scratch' && !names.includes(from))).toEqual([]);
  });

  it('runs nothing in an image, where no shell is', () => {
    expect(rest.flatMap(({ instructions }) => instructions).filter(({ keyword }) => keyword === 'RUN')).toEqual([]);
  });

  it('installs from the lockfile without running what packages bring', () => {
    expect(runs).toContain('npm ci --omit=optional --ignore-scripts --no-audit --no-fund');
  });

  it('compiles each app that has an image, and assembles with the script of the tests', () => {
    const projects = images.map(([, { app }]) => `apps/${app}/tsconfig.app.json`);
    expect(runs).toContain(`npx tsc -b ${projects.join(' ')}`);
    expect(runs.at(-1)).toBe('node config/images/assemble.mjs /image');
  });

  it('is given what it copies: .dockerignore lets it through, and no tests', () => {
    const lets = read('.dockerignore').split('\n');
    const copied = valuesOf('assembled', 'COPY').flatMap((line) => line.split(/\s+/).slice(0, -1));
    // of the apps, those that have an image
    const wanted = copied.flatMap((path) => (path === 'apps' ? images.map(([, { app }]) => `apps/${app}`) : [path]));
    expect(lets.filter((line) => line.startsWith('!')).sort()).toEqual(wanted.map((path) => `!${path}`).sort());
    expect(lets).toEqual(expect.arrayContaining(['*', '**/*.spec.ts', '**/*.fixture.ts', 'libs/testing']));
  });

  it('makes the coordinator where no target is named', () => {
    expect(dockerStages().at(-1)).toMatchObject({ name: '', from: 'coordinator' });
  });

  it('has the same flags of Node for all: test/bench reads those of the first', () => {
    const flags = images.map(([name]) => startOf(name).entrypoint.slice(1, -1));
    expect(flags).toEqual(images.map(() => ['--max-semi-space-size=16']));
  });

  describe.each(images)('target %s', (name, image) => {
    it('has the system and its own folder, and nothing else', () => {
      const layers = ['system', name].map((layer) => `--from=assembled /image/${layer} /`);
      expect(valuesOf(name, 'COPY')).toEqual(layers);
    });

    it('starts its program without a shell, as nobody in particular', () => {
      const { entrypoint, user, env } = startOf(name);
      expect([entrypoint[0], entrypoint.at(-1), user]).toEqual([
        '/usr/local/bin/node',
        `/app/${mainOf(image)}`,
        '65532:65532',
      ]);
      expect(env).toEqual(['NODE_ENV=production', 'BUILD_COMMIT=unknown']);
    });

    it('is labelled with the version and licence of package.json', () => {
      const { version, license } = JSON.parse(read('package.json')) as { version: string; license: string }; // it is ours
      expect(valuesOf(name, 'ARG')).toContain(`VERSION=${version}`);
      const labels = valuesOf(name, 'LABEL').join(' ');
      for (const label of ['title', 'description', 'version', 'revision'])
        expect(labels).toContain(`org.opencontainers.image.${label}=`);
      expect(labels).toContain(`org.opencontainers.image.licenses=${license}`);
    });

    it('is the image that the manifests name', () => {
      expect(read('config/helm/values.yaml')).toContain(`repository: llm-d/inference-${name}\n`);
    });
  });
});

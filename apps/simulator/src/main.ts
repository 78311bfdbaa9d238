import { ZodError, prettifyError } from 'zod';
import { startSimulation } from './cluster.ts';
import type { Simulation } from './cluster.ts';
import { HELP, simulatorArguments } from './simulator-arguments.ts';

async function main(): Promise<void> {
  const config = simulatorArguments(process.argv.slice(2));
  if (config === undefined) {
    process.stdout.write(HELP);
    return;
  }
  const simulation = await startSimulation(config);
  process.stdout.write(listing(simulation));
  const stop = (): void => {
    void simulation.close().then(() => process.exit(0));
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
}

function listing({ render, gateway, media, workers }: Simulation): string {
  const named = [...workers.map(({ name, url }) => ({ name, url }))];
  if (render !== undefined) named.unshift({ name: 'render', url: render.url });
  if (gateway !== undefined) named.unshift({ name: 'gateway', url: gateway.url });
  if (media !== undefined) named.push({ name: 'media', url: media.url });
  return named.map(({ name, url }) => `${name.padEnd(12)}${url}\n`).join('');
}

main().catch((error: unknown) => {
  const message =
    error instanceof ZodError ? prettifyError(error) : error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
});

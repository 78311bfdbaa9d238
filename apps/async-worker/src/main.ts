#!/usr/bin/env node
/*
 * Nothing is imported before signals are heard: the first process of a container gets none that it does not listen for, and loading the
 * program takes a part of a second. Until the program takes them over, a signal ends the process.
 */
const stop = (): void => process.exit(0);
process.on('SIGTERM', stop).on('SIGINT', stop);
await import('./program.ts');

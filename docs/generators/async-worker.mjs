import { readFileSync } from 'node:fs';
import { jsonSchemaOf, variablesOf } from '#config';
import { asyncWorkerConfig } from '../../dist/apps/async-worker/async-worker.config.js';
import { withBlocks } from './blocks.mjs';
import { keyTable, leavesOf } from './configuration.mjs';

const PAGE = 'docs/async-worker.md';

/** The table of keys in `docs/async-worker.md`, whose words are written by hand, and the JSON Schema that editors use. */
export function asyncWorker(root) {
  const json = jsonSchemaOf(asyncWorkerConfig, { title: 'Configuration of the async worker' });
  const keys = keyTable('', leavesOf(json), variablesOf(asyncWorkerConfig, 'ASYNC_WORKER'));
  return [
    { path: 'config/async-worker.schema.json', text: JSON.stringify(json) },
    { path: PAGE, text: withBlocks(PAGE, readFileSync(root + PAGE, 'utf8'), { keys }) },
  ];
}

import { BLOCK_TOKENS } from './prefix-cache.ts';
import type { WorkerIdentity } from './worker-identity.ts';

/** The part of vLLM's `/metrics` that endpoint pickers scrape, as Prometheus text. */
export function vllmMetrics(worker: WorkerIdentity, model: string, cacheBlocks: number): string {
  const { load, counters } = worker;
  const labels = `{engine="0",model_name="${model.replaceAll(/["\\]/g, '\\$&')}"}`;
  const used = Math.min(1, Math.ceil(load.tokens / BLOCK_TOKENS) / cacheBlocks);
  const metric = (name: string, type: 'gauge' | 'counter', help: string, value: number): string =>
    `# HELP vllm:${name} ${help}\n# TYPE vllm:${name} ${type}\nvllm:${name}${labels} ${value}\n`;
  return [
    metric('num_requests_running', 'gauge', 'Requests in execution.', load.running),
    metric('num_requests_waiting', 'gauge', 'Requests waiting to be run.', load.waiting),
    metric('kv_cache_usage_perc', 'gauge', 'KV-cache usage, 1 is all of it.', used),
    metric('prompt_tokens_total', 'counter', 'Prompt tokens processed.', counters.prompt),
    metric('generation_tokens_total', 'counter', 'Tokens generated.', counters.generated),
    metric(
      'prefix_cache_queries_total',
      'counter',
      'Prompt tokens looked up in the prefix cache.',
      counters.prefixQueries,
    ),
    metric('prefix_cache_hits_total', 'counter', 'Prompt tokens found in the prefix cache.', counters.prefixHits),
    '# HELP vllm:cache_config_info Information of the cache.\n# TYPE vllm:cache_config_info gauge\n',
    `vllm:cache_config_info{block_size="${BLOCK_TOKENS}",engine="0",num_gpu_blocks="${cacheBlocks}"} 1\n`,
  ].join('');
}

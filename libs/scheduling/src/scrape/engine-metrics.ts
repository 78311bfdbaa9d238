import { z } from 'zod';
import { metricSpec } from './metric-spec.ts';
import type { MetricSpec } from './metric-spec.ts';

const spec = z.string().default('');
const ignored = z.string().optional().describe('Has no effect: nothing depends on adapters.');

/** How an engine names its figures. A figure without a spec is not looked for. */
export const engineConfig = z.strictObject({
  name: z.string().min(1, 'engine config name cannot be empty'),
  queuedRequestsSpec: spec.describe('Requests that wait, as metric or metric{label=value}.'),
  runningRequestsSpec: spec,
  kvUsageSpec: spec.describe('Part of the KV cache in use, 0 to 1.'),
  cacheInfoSpec: spec.describe('A metric whose labels say block size and number of blocks.'),
  cacheBlockSizeLabelName: z.string().optional().describe('Default: prefix_match_unit, else block_size.'),
  cacheNumBlocksLabelName: z.string().optional().describe('Default: num_gpu_blocks.'),
  cacheBlockSizeSpec: spec.describe('A metric whose value is the block size.'),
  cacheNumBlocksSpec: spec.describe('A metric whose value is the number of blocks.'),
  loraSpec: ignored,
  loraLoadedSpec: ignored,
  loraGPULoadedSpec: ignored,
  loraGPUSlotsSpec: ignored,
});

export type EngineConfig = z.output<typeof engineConfig>;

/** A figure of an engine, where it has one. */
type Figure = MetricSpec | undefined;

/** Where the figures of one engine are found. */
export interface EngineMetrics {
  readonly waiting: Figure;
  readonly running: Figure;
  readonly kvUsage: Figure;
  readonly blockSize: Figure;
  readonly blocks: Figure;
  readonly cacheInfo: Figure;
  /** Labels of `cacheInfo` with the block size; the first that is there counts. */
  readonly blockSizeLabels: readonly string[];
  readonly blocksLabel: string;
}

/** @throws Error for a spec that cannot be read */
export function engineMetrics(config: EngineConfig): EngineMetrics {
  const figure = (text: string): Figure => (text === '' ? undefined : metricSpec(text));
  const { cacheBlockSizeLabelName: sizeLabel, cacheNumBlocksLabelName: blocksLabel } = config;
  return {
    waiting: figure(config.queuedRequestsSpec),
    running: figure(config.runningRequestsSpec),
    kvUsage: figure(config.kvUsageSpec),
    blockSize: figure(config.cacheBlockSizeSpec),
    blocks: figure(config.cacheNumBlocksSpec),
    cacheInfo: figure(config.cacheInfoSpec),
    blockSizeLabels: sizeLabel === undefined || sizeLabel === '' ? ['prefix_match_unit', 'block_size'] : [sizeLabel],
    blocksLabel: blocksLabel === undefined || blocksLabel === '' ? 'num_gpu_blocks' : blocksLabel,
  };
}

/** Engines that are known without being configured (`epp.md` 7.1). */
export const ENGINES: readonly EngineConfig[] = z.array(engineConfig).parse([
  {
    name: 'vllm',
    queuedRequestsSpec: 'vllm:num_requests_waiting',
    runningRequestsSpec: 'vllm:num_requests_running',
    kvUsageSpec: 'vllm:kv_cache_usage_perc',
    cacheInfoSpec: 'vllm:cache_config_info',
  },
  {
    name: 'sglang',
    queuedRequestsSpec: 'sglang:num_queue_reqs',
    runningRequestsSpec: 'sglang:num_running_reqs',
    kvUsageSpec: 'sglang:token_usage',
    cacheInfoSpec: 'sglang:cache_config_info',
    cacheBlockSizeLabelName: 'page_size',
    cacheNumBlocksLabelName: 'num_pages',
  },
  {
    name: 'triton-tensorrt-llm',
    queuedRequestsSpec: 'nv_trt_llm_request_metrics{request_type=waiting}',
    runningRequestsSpec: 'nv_trt_llm_request_metrics{request_type=scheduled}',
    kvUsageSpec: 'nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=fraction}',
    cacheBlockSizeSpec: 'nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=tokens_per}',
    cacheNumBlocksSpec: 'nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=max}',
  },
  {
    name: 'triton',
    queuedRequestsSpec: 'nv_inference_pending_request_count',
    runningRequestsSpec: 'nv_inference_exec_count',
  },
  {
    name: 'trtllm-serve',
    queuedRequestsSpec: 'trtllm_num_requests_waiting',
    runningRequestsSpec: 'trtllm_num_requests_running',
    kvUsageSpec: 'trtllm_kv_cache_utilization',
    cacheBlockSizeSpec: 'trtllm_kv_cache_tokens_per_block',
    cacheNumBlocksSpec: 'trtllm_kv_cache_max_blocks',
  },
]);

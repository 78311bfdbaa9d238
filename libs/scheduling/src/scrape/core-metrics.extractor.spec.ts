import { describe, expect, it } from '@jest/globals';
import { CoreMetricsExtractor, coreMetricsParams } from './core-metrics.extractor.ts';
import type { EngineLoad } from './engine-load.ts';

const VLLM = `# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 3.0
vllm:num_requests_running{engine="1",model_name="m"} 30.0
# HELP vllm:num_requests_waiting Number of requests waiting to be processed.
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="m"} 2.0
# HELP vllm:num_requests_waiting_by_reason Number of waiting requests by reason.
# TYPE vllm:num_requests_waiting_by_reason gauge
vllm:num_requests_waiting_by_reason{engine="0",model_name="m",reason="capacity"} 7.0
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
# TYPE vllm:cache_config_info gauge
vllm:cache_config_info{block_size="16",cache_dtype="auto",num_gpu_blocks="5000"} 1.0
`;
const SGLANG = `sglang:num_running_reqs{model_name="m"} 3
sglang:num_queue_reqs{model_name="m"} 2
sglang:token_usage{model_name="m"} 0.25
sglang:cache_config_info{page_size="16",num_pages="5000"} 1
`;
const TRITON_LLM = `nv_trt_llm_request_metrics{model="m",request_type="context",version="1"} 9
nv_trt_llm_request_metrics{model="m",request_type="scheduled",version="1"} 3
nv_trt_llm_request_metrics{model="m",request_type="waiting",version="1"} 2
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction",model="m"} 0.25
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="tokens_per",model="m"} 16
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="max",model="m"} 5000
`;
const TRTLLM_SERVE = `trtllm_num_requests_waiting 2
trtllm_num_requests_running 3
trtllm_kv_cache_utilization 0.25
trtllm_kv_cache_tokens_per_block 16
trtllm_kv_cache_max_blocks 5000
`;
const ALL = { waiting: 2, running: 3, kvUsage: 0.25, blockSize: 16, blocks: 5000 };

function extract(text: string, labels: Record<string, string> = {}, parameters?: unknown): EngineLoad {
  return new CoreMetricsExtractor(coreMetricsParams.parse(parameters)).extract(Buffer.from(text), { labels });
}

describe('CoreMetricsExtractor', () => {
  it.each([
    { engine: 'vllm', text: VLLM },
    { engine: 'sglang', text: SGLANG },
    { engine: 'triton-tensorrt-llm', text: TRITON_LLM },
    { engine: 'trtllm-serve', text: TRTLLM_SERVE },
  ])('reads all that $engine says', ({ engine, text }) => {
    const { load, missing } = extract(text, { 'llm-d.ai/engine-type': engine });
    expect(load).toEqual(ALL);
    expect(missing).toBe(0);
  });

  it('reads the two figures that triton has', () => {
    const text = 'nv_inference_pending_request_count 2\nnv_inference_exec_count 3\n';
    const { load, missing } = extract(text, { 'llm-d.ai/engine-type': 'triton' });
    expect(load).toEqual({ waiting: 2, running: 3 });
    expect(missing).toBe(0);
  });

  it.each([
    { what: 'no label', labels: {}, text: VLLM },
    { what: 'a label of an unknown engine', labels: { 'llm-d.ai/engine-type': 'nobody' }, text: VLLM },
    { what: 'an empty label', labels: { 'llm-d.ai/engine-type': '' }, text: VLLM },
    { what: 'the old label', labels: { 'inference.networking.k8s.io/engine-type': 'sglang' }, text: SGLANG },
  ])('knows what to read with $what', ({ labels, text }) => {
    expect(extract(text, labels).load).toEqual(ALL);
  });

  it('counts what is missing and says nothing about it', () => {
    const { load, missing } = extract('vllm:num_requests_waiting 2\nvllm:kv_cache_usage_perc NaN\n');
    expect(load).toEqual({ waiting: 2 });
    expect(missing).toBe(3);
  });

  it.each([
    { labels: 'prefix_match_unit="32",block_size="16"', expected: { blockSize: 32 } },
    { labels: 'block_size="16"', expected: { blockSize: 16 } },
    { labels: 'prefix_match_unit="",block_size="16"', expected: { blockSize: 16 } },
    { labels: 'num_gpu_blocks="7"', expected: { blockSize: 0, blocks: 7 } },
    { labels: 'block_size="None",num_gpu_blocks="None"', expected: { blockSize: 0 } },
  ])('takes from the labels $labels $expected', ({ labels, expected }) => {
    expect(extract(`vllm:cache_config_info{${labels}} 1\n`).load).toEqual(expected);
  });

  it('reads engines of its own, also in place of known ones', () => {
    const engineConfigs = [
      { name: 'vllm', queuedRequestsSpec: 'line{state=waiting}' },
      { name: 'mine', cacheInfoSpec: 'cache', cacheBlockSizeLabelName: 'size', cacheNumBlocksLabelName: 'count' },
    ];
    const text = 'line{state="waiting"} 4\ncache{size="8",count="9"} 1\n';
    expect(extract(text, {}, { engineConfigs }).load).toEqual({ waiting: 4 });
    const labels = { engine: 'mine' };
    expect(extract(text, labels, { engineConfigs, engineLabelKey: 'engine' }).load).toEqual({
      blockSize: 8,
      blocks: 9,
    });
    expect(extract(text, {}, { engineConfigs, defaultEngine: 'mine' }).load).toEqual({ blockSize: 8, blocks: 9 });
  });

  it.each([
    { parameters: { defaultEngine: 'nobody' }, message: 'defaultEngine "nobody" not found' },
    { parameters: { engineConfigs: [{ name: 'x', kvUsageSpec: 'a b' }] }, message: 'not a metric' },
    { parameters: { engineConfigs: [{ name: '' }] }, message: 'cannot be empty' },
    { parameters: { engine: 'x' }, message: 'engine' },
  ])('refuses $parameters', ({ parameters, message }) => {
    expect(() => extract('', {}, parameters)).toThrow(message);
  });
});

import { PerformanceObserver, constants } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';

const [, , policy = ''] = process.argv;
if (policy !== '') (await import(policy)).countBodiesWithHeap();

let whole = 0;
const observer = new PerformanceObserver((list) => {
  whole += list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR).length;
});
observer.observe({ entryTypes: ['gc'] });

const kept = Array.from({ length: 200_000 }, (_, index) => ({ index, of: [index] }));
for (let count = 0; count < 3_000; count++) {
  Buffer.allocUnsafeSlow(1_000_000)[0] = 1;
  if (count % 20 === 0) await turn();
}
await turn();
process.stdout.write(String(kept.length > 0 ? whole : 0));

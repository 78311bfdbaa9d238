import { frameName } from './stacks.mjs';

const SHOWN = 40;

/** Who allocated how much, from a sampling heap profile (`.heapprofile`) that counts what was collected, too. */
export function allocations({ head }, requests) {
  const sites = new Map();
  const walk = ({ callFrame, selfSize, children }) => {
    const name = frameName(callFrame);
    sites.set(name, (sites.get(name) ?? 0) + selfSize);
    children.forEach(walk);
  };
  walk(head);
  const total = [...sites.values()].reduce((sum, size) => sum + size, 0);
  const top = [...sites].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN);
  const lines = top.map(
    ([name, size]) => `${perRequest(size, requests)}  ${((100 * size) / total).toFixed(1).padStart(5)} %  ${name}`,
  );
  return `Allocated on the heap, by function, bytes a request (sampled):\n${perRequest(total, requests)}  100.0 %  all\n${lines.join('\n')}\n`;
}

function perRequest(size, requests) {
  return Math.round(size / requests)
    .toLocaleString('en')
    .padStart(12);
}

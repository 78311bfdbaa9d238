import { describe, expect, it } from '@jest/globals';
import { ByteCollector } from './byte-collector.ts';

const MIB = 1024 * 1024;

/** Bytes that differ from their neighbours, so that a misplaced piece shows. */
function bytes(length: number, from = 0): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (from + index) % 251));
}

/** Bytes of memory behind what was collected. */
function held(collector: ByteCollector): number {
  return collector.take().buffer.byteLength;
}

describe('ByteCollector', () => {
  it.each([
    { name: 'one chunk, announced', expected: 10, cuts: [10] },
    { name: 'one chunk, not announced', expected: undefined, cuts: [10] },
    { name: 'many chunks, announced', expected: 200_000, cuts: [1, 99_999, 60_000, 40_000] },
    { name: 'many chunks, not announced', expected: undefined, cuts: [1, 99_999, 60_000, 40_000] },
    { name: 'more than announced', expected: 5, cuts: [3, 3, 100_000] },
    { name: 'less than announced', expected: 100, cuts: [3, 4] },
    { name: 'empty chunks between', expected: undefined, cuts: [0, 3, 0, 70_000, 0] },
  ])('gives back what was added: $name', ({ expected, cuts }) => {
    const collector = new ByteCollector(MIB, expected);
    const whole = bytes(cuts.reduce((sum, cut) => sum + cut, 0));
    let position = 0;
    for (const cut of cuts) expect(collector.add(whole.subarray(position, (position += cut)))).toBe(true);
    expect(collector.size).toBe(whole.length);
    expect(collector.take().equals(whole)).toBe(true);
  });

  it('is empty where nothing was added', () => {
    expect(new ByteCollector(10, 5).take()).toHaveLength(0);
  });

  it('takes exactly its limit', () => {
    const collector = new ByteCollector(10);
    expect(collector.add(bytes(4))).toBe(true);
    expect(collector.add(bytes(6, 4))).toBe(true);
    expect(collector.take().equals(bytes(10))).toBe(true);
  });

  it.each([{ first: 11 }, { first: 4 }])('refuses one byte more than its limit (after $first)', ({ first }) => {
    const collector = new ByteCollector(10);
    expect(collector.add(bytes(first))).toBe(first <= 10);
    if (first < 11) expect(collector.add(bytes(7, 4))).toBe(false);
  });

  it('keeps nothing of a chunk that it refused', () => {
    const collector = new ByteCollector(10);
    collector.add(bytes(4));
    collector.add(bytes(7));
    expect(collector.size).toBe(4);
    expect(collector.take().equals(bytes(4))).toBe(true);
  });

  it('takes over a chunk that is the whole, without a copy', () => {
    const chunk = bytes(10);
    const collector = new ByteCollector(100, 10);
    collector.add(chunk);
    expect(collector.take()).toBe(chunk);
  });

  it('does not write into a chunk that it took over', () => {
    const slab = bytes(20);
    const collector = new ByteCollector(100);
    collector.add(slab.subarray(0, 10));
    collector.add(Buffer.alloc(5, 255));
    expect(slab.equals(bytes(20))).toBe(true);
  });

  it('does not allocate what was announced before bytes back it up', () => {
    const collector = new ByteCollector(2048 * MIB, 2047 * MIB);
    collector.add(bytes(1000));
    expect(held(collector)).toBeLessThanOrEqual(64 * 1024);
  });

  it.each([
    { name: 'not announced', announced: undefined, chunks: 100 },
    { name: 'announced, before a megabyte has come', announced: 90 * MIB, chunks: 20 },
  ])('holds at most twice what came, beyond a first 64 KiB: $name', ({ announced, chunks }) => {
    const chunk = bytes(50_000);
    const collector = new ByteCollector(100 * MIB, announced);
    for (let count = 1; count <= chunks; count++) {
      collector.add(chunk);
      expect(held(collector)).toBeLessThanOrEqual(Math.max(64 * 1024, 2 * collector.size));
    }
  });

  it('makes one allocation of what was announced when a megabyte of it has come', () => {
    const collector = new ByteCollector(100 * MIB, 90 * MIB);
    collector.add(Buffer.alloc(MIB));
    const memory = collector.take().buffer;
    for (let sent = 1; sent < 90; sent++) collector.add(Buffer.alloc(MIB));
    expect(memory.byteLength).toBe(90 * MIB);
    expect(collector.take().buffer).toBe(memory);
  });

  it('holds exactly what was announced once it is all there', () => {
    const collector = new ByteCollector(100 * MIB, 300_000);
    for (let sent = 0; sent < 300_000; sent += 50_000) collector.add(bytes(50_000));
    expect(held(collector)).toBe(300_000);
  });

  it('never holds more than its limit', () => {
    const collector = new ByteCollector(100_000);
    for (let sent = 0; sent < 100_000; sent += 20_000) collector.add(bytes(20_000));
    expect(held(collector)).toBe(100_000);
  });

  it('gives a view of the length that came, not of what it holds', () => {
    const collector = new ByteCollector(MIB, 500);
    collector.add(bytes(100));
    expect(collector.take()).toHaveLength(100);
  });
});

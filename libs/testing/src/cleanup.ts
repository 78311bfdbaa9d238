import { afterEach } from '@jest/globals';

/**
 * Closes behind each test of the file what it opened, the last first.
 * @returns takes what is to be done
 */
export function cleanup(): (close: () => unknown) => void {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  return (close) => void closing.push(close);
}

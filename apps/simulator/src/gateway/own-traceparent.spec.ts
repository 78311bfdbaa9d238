import { describe, expect, it } from '@jest/globals';
import { ownTraceparent } from './own-traceparent.ts';

const CLIENTS = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';

describe('ownTraceparent', () => {
  it("goes on with a client's trace and its flags, with a span of its own", () => {
    const own = ownTraceparent(CLIENTS);
    expect(own).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/);
    expect(own).not.toBe(CLIENTS);
  });

  it.each([
    undefined,
    '',
    'nonsense',
    '01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
    `${CLIENTS}, ${CLIENTS}`,
  ])('begins a sampled trace where there is %j', (sent) => {
    expect(ownTraceparent(sent)).toMatch(/^00-(?!0af7)[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });
});

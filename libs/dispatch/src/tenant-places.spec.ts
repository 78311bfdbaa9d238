import { describe, expect, it } from '@jest/globals';
import { TenantPlaces } from './tenant-places.ts';

describe('TenantPlaces', () => {
  it('has as many places for each tenant as its limit', () => {
    const places = new TenantPlaces(2);
    const leave = [places.take('a'), places.take('a')];
    expect(leave.map((place) => place !== undefined)).toEqual([true, true]);
    expect(places.take('a')).toBeUndefined();
    expect(places.take('b')).toBeDefined();
    leave[0]?.();
    expect(places.take('a')).toBeDefined();
    expect(places.take('a')).toBeUndefined();
  });

  it('has places without end where there is no limit', () => {
    const places = new TenantPlaces(0);
    for (let count = 0; count < 1000; count++) expect(places.take('a')).toBeDefined();
  });

  it('has a long backlog come back less and less often, and forgets it when the tenant is done', () => {
    const places = new TenantPlaces(1);
    const leave = places.take('a');
    const waits = Array.from({ length: 100 }, () => places.wait('a', 1));
    expect(waits.slice(0, 3)).toEqual([500, 1000, 1500]);
    expect(Math.max(...waits)).toBe(30_000);
    leave?.();
    places.take('a');
    expect(places.wait('a', 1)).toBe(500);
  });
});

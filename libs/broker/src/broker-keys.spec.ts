import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BrokerKeys, hashTag, isRequestId, tenantProblem } from './broker-keys.ts';

const keys = new BrokerKeys('quota:userid:');

describe('BrokerKeys', () => {
  it('makes the keys that the async processor knows', () => {
    expect(keys.of('team-a', 'job-1')).toEqual({
      id: 'job-1',
      tenant: 'team-a',
      wireId: 'team-a:job-1',
      mailbox: 'results:req:team-a:job-1',
      active: 'request-active:team-a:job-1',
      cancel: 'request-cancel:team-a:job-1',
    });
    expect(keys.quota('team-a')).toBe('quota:userid:team-a');
  });

  it('puts the hash tag before the tenant in a cluster', () => {
    const { wireId, mailbox, active, cancel } = new BrokerKeys('quota:userid:', 'q').of('team-a', 'job-1');
    expect(wireId).toBe('{q}:team-a:job-1');
    expect([mailbox, active, cancel].map(hashTag)).toEqual(['q', 'q', 'q']);
  });

  it.each([
    ['a:b', 'job-1'],
    ['', 'job-1'],
    ['{a}', 'job-1'],
    ['a\r\nb', 'job-1'],
    ['team-a', 'a:b'],
    ['team-a', ''],
    ['team-a', 'a\u0000'],
    ['team-a', 'a'.repeat(129)],
  ])('makes none of tenant %j and id %j', (tenant, id) => {
    expect(() => keys.of(tenant, id)).toThrow(RangeError);
  });

  it('finds the keys again by the name that the envelope has', () => {
    for (const tagged of [keys, new BrokerKeys('quota:', 'q')]) {
      const own = tagged.of('team-a', 'job-1');
      expect(tagged.ofWireId(own.wireId)).toEqual(own);
    }
  });

  it.each(['', 'job-1', ':job-1', 'team-a:', 'a:b:job-1', '{q}:team-a:job-1', 'team-a:job*', 'team\n:job-1'])(
    'finds none by %j',
    (wireId) => {
      expect(keys.ofWireId(wireId)).toBeUndefined();
    },
  );

  it('makes no counter of a tenant that was not checked', () => {
    expect(() => keys.quota('a:b')).toThrow(RangeError);
  });

  it('gives no two requests one key', () => {
    const pair = fc.tuple(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }));
    const checked = pair.filter(([tenant, id]) => tenantProblem(tenant) === undefined && isRequestId(id));
    fc.assert(
      fc.property(checked, checked, ([tenantA, idA], [tenantB, idB]) => {
        const isSame = tenantA === tenantB && idA === idB;
        expect(keys.of(tenantA, idA).mailbox === keys.of(tenantB, idB).mailbox).toBe(isSame);
      }),
    );
  });
});

describe('tenantProblem', () => {
  it.each(['default', 'Team A', 'a.b_c-d/e', '~!@#$%^&*()', 'a'.repeat(256)])('lets %j be a tenant', (tenant) => {
    expect(tenantProblem(tenant)).toBeUndefined();
  });
});

describe('hashTag', () => {
  it.each([
    ['{a}q', 'a'],
    ['q-{a}', 'a'],
    ['{a}{b}', 'a'],
    ['{{a}', '{a'],
    ['q', undefined],
    ['{}{a}', undefined],
    ['{a', undefined],
    ['a}b{', undefined],
  ])('of %j is %j', (key, tag) => {
    expect(hashTag(key)).toBe(tag);
  });
});

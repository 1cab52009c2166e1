import { describe, expect, it } from 'vitest';
import {
  canReach,
  sourcesInOrder,
  rankSources,
  reachableHosts,
  type EgressSource,
} from './egress-source.rules.js';

const source = (id: string, address?: string): EgressSource => ({ id, address, ehloName: `mta-${id}.test` });
const [A, B, C] = [source('a', '192.0.2.1'), source('b', '192.0.2.2'), source('c', '192.0.2.3')];
const SIX = source('six', '2001:db8::1');
const ANY = source('');
const idsOf = (sources: readonly EgressSource[]) => sources.map(({ id }) => id);

describe('the hosts that a source can reach', () => {
  it.each([
    [A, '198.51.100.1', true],
    [A, '2001:db8::25', false],
    [SIX, '2001:db8::25', true],
    [SIX, '198.51.100.1', false],
    [ANY, '198.51.100.1', true],
    [ANY, '2001:db8::25', true],
  ])('%j and %s: %s', (from, address, reached) => {
    expect(canReach(from, address)).toBe(reached);
  });

  it('leaves out the addresses of the other protocol, and hosts that have no other', () => {
    const hosts = [
      { name: 'both', addresses: ['198.51.100.1', '2001:db8::25'] },
      { name: 'six', addresses: ['2001:db8::26'] },
    ];
    expect(reachableHosts(A, hosts)).toEqual([{ name: 'both', addresses: ['198.51.100.1'] }]);
    expect(reachableHosts(SIX, hosts).map(({ addresses }) => addresses)).toEqual([
      ['2001:db8::25'],
      ['2001:db8::26'],
    ]);
    expect(reachableHosts(ANY, hosts)).toEqual(hosts);
  });
});

describe('the order of sources', () => {
  const about = (senderDomain: string, groupKey = 'p:google') => ({ senderDomain, groupKey });
  const domains = Array.from({ length: 300 }, (_, nth) => `shop${nth}.test`);
  const firstOf = (sources: readonly EgressSource[], domain: string) =>
    rankSources(sources, about(domain))[0]?.id;

  it('is the same for a sending domain and a group each time, however they are listed', () => {
    expect(rankSources([A, B, C], about('shop.test'))).toEqual(rankSources([C, A, B], about('shop.test')));
  });

  it('spreads domains over all of them, and a domain over groups', () => {
    const counts = domains.map((domain) => firstOf([A, B, C], domain));
    for (const id of ['a', 'b', 'c']) expect(counts.filter((one) => one === id).length).toBeGreaterThan(60);
    const groups = domains.map((group) => rankSources([A, B, C], about('shop.test', group))[0]?.id);
    expect(new Set(groups).size).toBe(3);
  });

  it('moves no domain between the others when one goes', () => {
    for (const domain of domains) {
      const before = firstOf([A, B, C], domain);
      if (before !== 'c') expect(firstOf([A, B], domain)).toBe(before);
    }
  });

  it('puts IPv4 first', () => {
    for (const domain of domains.slice(0, 20)) {
      expect(idsOf(rankSources([SIX, A, B], about(domain))).at(-1)).toBe('six');
    }
  });
});

describe('the choice of a source', () => {
  const load = (full: readonly EgressSource[] = [], suspended: readonly EgressSource[] = []) => ({
    isFull: (one: EgressSource) => full.includes(one),
    isBlocked: (one: EgressSource) => suspended.includes(one),
  });

  it.each([
    ['the first', null, load(), A],
    ['another when the first is full', null, load([A]), B],
    ['the next that is not full', null, load([A, B]), C],
    ['the first when all are full', null, load([A, B, C]), A],
    ['the first although the group listens to another only', null, load([], [A]), A],
    ['the first although it is full, too', null, load([A], [A]), A],
    ['not one that the group does not listen to', null, load([A], [B]), C],
    ['the one of the attempts before', 'b', load(), B],
    ['that one although it is full', 'b', load([B]), B],
    ['that one although the group does not listen to it', 'b', load([], [B]), B],
    ['the first when that one is gone', 'x', load(), A],
  ])('is %s', (_, kept, given, expected) => {
    expect(sourcesInOrder([A, B, C], { kept, whenBlocked: 'wait' }, given)[0]).toBe(expected);
  });

  it('is none where there is none', () => {
    expect(sourcesInOrder([], { kept: 'a', whenBlocked: 'wait' }, load())).toEqual([]);
  });

  it.each([
    ['the next when the group blocks the first', null, load([], [A]), [B, C]],
    ['the next that is not full', null, load([B], [A]), [C, B]],
    ['another although one is kept', 'b', load([], [B]), [A, C]],
    ['none when all are blocked', null, load([], [A, B, C]), []],
  ])('of a pool whose mail moves is %s', (_, kept, given, expected) => {
    expect(sourcesInOrder([A, B, C], { kept, whenBlocked: 'move' }, given)).toEqual(expected);
  });
});

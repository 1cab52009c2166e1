import { describe, expect, it } from 'vitest';
import type { Lookup } from './dns-resolver.port.js';
import { evaluateSpf, expandSpfTarget, parseSpf } from './spf-evaluation.js';

type Zone = Readonly<Record<string, string | readonly string[] | 'UNKNOWN'>>;

function response(zone: Zone, name: string): Lookup<string> {
  const found = zone[name];
  if (found === undefined) return { kind: 'none' };
  if (found === 'UNKNOWN') return { kind: 'unknown', reason: 'ESERVFAIL' };
  return { kind: 'found', values: typeof found === 'string' ? [found] : found };
}

const judge = (zone: Zone) =>
  evaluateSpf('a.test', response(zone, 'a.test'), {
    ours: 'spf.svc.test',
    txt: (name) => Promise.resolve(response(zone, name)),
  });

const spend = (count: number) => Array.from({ length: count }, (_, at) => `a:h${at}.test`).join(' ');

describe('SPF passes when a receiver reaches our include', () => {
  it.each<[string, Zone]>([
    ['directly', { 'a.test': 'v=spf1 include:spf.svc.test ~all' }],
    ['in capitals and with a dot', { 'a.test': 'V=SPF1 INCLUDE:SPF.svc.test. -ALL' }],
    ['with a plus', { 'a.test': 'v=spf1 +include:spf.svc.test' }],
    ['beside other text records', { 'a.test': ['site-verification=1', 'v=spf1 include:spf.svc.test -all'] }],
    [
      'after mechanisms that do not match',
      { 'a.test': 'v=spf1 ip4:192.0.2.0/24 a mx include:spf.svc.test -all' },
    ],
    [
      'through a nested include',
      { 'a.test': 'v=spf1 include:b.test -all', 'b.test': 'v=spf1 include:spf.svc.test -all' },
    ],
    [
      'through redirect',
      { 'a.test': 'v=spf1 redirect=b.test', 'b.test': 'v=spf1 include:spf.svc.test -all' },
    ],
    ['by a redirect to us', { 'a.test': 'v=spf1 redirect=spf.svc.test' }],
    [
      'after an include that fails without a match',
      { 'a.test': 'v=spf1 include:b.test include:spf.svc.test -all', 'b.test': 'v=spf1 ip4:192.0.2.1 -all' },
    ],
    [
      'after a macro that cannot be known',
      { 'a.test': 'v=spf1 include:%{i}._spf.b.test include:spf.svc.test -all' },
    ],
    [
      'behind the domain macro',
      { 'a.test': 'v=spf1 include:%{d}.b.test -all', 'a.test.b.test': 'v=spf1 include:spf.svc.test' },
    ],
    ['as the tenth look-up', { 'a.test': `v=spf1 ${spend(9)} include:spf.svc.test -all` }],
    ['with an unknown modifier', { 'a.test': 'v=spf1 x-note=hello include:spf.svc.test exp=why.test -all' }],
  ])('%s', async (_name, zone) => {
    expect(await judge(zone)).toBe('pass');
  });
});

describe('SPF fails', () => {
  it.each<[string, Zone]>([
    ['without a record', {}],
    ['with other texts only', { 'a.test': ['hello', 'v=spf10 include:spf.svc.test'] }],
    ['with two records', { 'a.test': ['v=spf1 include:spf.svc.test -all', 'v=spf1 mx -all'] }],
    ['without us', { 'a.test': 'v=spf1 mx -all' }],
    ['when all comes first', { 'a.test': 'v=spf1 mx ~all include:spf.svc.test' }],
    ['when +all comes first', { 'a.test': 'v=spf1 +all include:spf.svc.test' }],
    ['with another qualifier', { 'a.test': 'v=spf1 ~include:spf.svc.test -all' }],
    [
      'with another qualifier on the way',
      { 'a.test': 'v=spf1 ?include:b.test -all', 'b.test': 'v=spf1 include:spf.svc.test' },
    ],
    [
      'with another qualifier inside',
      { 'a.test': 'v=spf1 include:b.test -all', 'b.test': 'v=spf1 ?include:spf.svc.test' },
    ],
    [
      'when a minus include matches first',
      { 'a.test': 'v=spf1 -include:b.test include:spf.svc.test', 'b.test': 'v=spf1 include:spf.svc.test' },
    ],
    ['after a broken include', { 'a.test': 'v=spf1 include:gone.test include:spf.svc.test -all' }],
    [
      'after an include with two records',
      { 'a.test': 'v=spf1 include:b.test include:spf.svc.test', 'b.test': ['v=spf1 a', 'v=spf1 mx'] },
    ],
    [
      'after an include that lets anybody pass',
      { 'a.test': 'v=spf1 include:b.test include:spf.svc.test', 'b.test': 'v=spf1 +all' },
    ],
    ['as the eleventh look-up', { 'a.test': `v=spf1 ${spend(10)} include:spf.svc.test -all` }],
    ['with a loop', { 'a.test': 'v=spf1 include:a.test include:spf.svc.test' }],
    ['with an unknown mechanism', { 'a.test': 'v=spf1 include:spf.svc.test ipv4:192.0.2.1 -all' }],
    ['with a redirect to nowhere', { 'a.test': 'v=spf1 redirect=gone.test' }],
    ['with a redirect behind all', { 'a.test': 'v=spf1 -all redirect=spf.svc.test' }],
    ['with redirect twice', { 'a.test': 'v=spf1 include:spf.svc.test redirect=b.test redirect=c.test' }],
  ])('%s', async (_name, zone) => {
    expect(await judge(zone)).toBe('fail');
  });
});

describe('SPF is not judged', () => {
  it.each<[string, Zone]>([
    ['when the record cannot be looked up', { 'a.test': 'UNKNOWN' }],
    [
      'when an include before ours cannot',
      { 'a.test': 'v=spf1 include:b.test include:spf.svc.test', 'b.test': 'UNKNOWN' },
    ],
  ])('%s', async (_name, zone) => {
    expect(await judge(zone)).toBe('unknown');
  });

  it('but an include behind ours does not matter', async () => {
    expect(await judge({ 'a.test': 'v=spf1 include:spf.svc.test include:b.test', 'b.test': 'UNKNOWN' })).toBe(
      'pass',
    );
  });
});

describe('the syntax of an SPF record', () => {
  it.each([
    'v=spf1 all:x',
    'v=spf1 include',
    'v=spf1 include:',
    'v=spf1 ip4/24',
    'v=spf1 a:',
    'v=spf1 redirect=',
    'v=spf1 !a',
    'v=spf1 ++a',
  ])('refuses %j', (text) => {
    expect(parseSpf(text)).toBeUndefined();
  });

  it('reads qualifiers and targets', () => {
    expect(parseSpf('v=spf1  a/24 ~mx:x.test//64 -include:B.test ?all')?.directives).toEqual([
      { qualifier: '+', mechanism: 'a', target: undefined },
      { qualifier: '~', mechanism: 'mx', target: undefined },
      { qualifier: '-', mechanism: 'include', target: 'B.test' },
      { qualifier: '?', mechanism: 'all', target: undefined },
    ]);
  });

  it.each([
    ['%{d}.x.test', 'a.test.x.test'],
    ['%{O}.x.test.', 'a.test.x.test'],
    ['%{i}.x.test', undefined],
    ['%{d2}.x.test', undefined],
  ])('expands %s to %s', (target, expected) => {
    expect(expandSpfTarget(target, 'a.test')).toBe(expected);
  });
});

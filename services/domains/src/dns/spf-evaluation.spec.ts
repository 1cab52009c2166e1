import { describe, expect, it } from 'vitest';
import type { Lookup } from './dns-resolver.port.js';
import { evaluateSpf } from './spf-evaluation.js';

type Zone = Readonly<Record<string, string | readonly string[] | 'UNKNOWN'>>;

function response(zone: Zone, name: string): Lookup<string> {
  const found = zone[name];
  if (found === undefined) return { kind: 'none' };
  if (found === 'UNKNOWN') return { kind: 'unknown', reason: 'ESERVFAIL' };
  return { kind: 'found', values: typeof found === 'string' ? [found] : found };
}

/** The zone has mail exchangers and addresses as `MX name` and `A name`; a host named h… has an address. */
const evaluate = (zone: Zone) =>
  evaluateSpf('a.test', response(zone, 'a.test'), {
    ours: 'spf.svc.test',
    dns: {
      txt: async (name) => response(zone, name),
      addresses: async (name) =>
        /^h\d/.test(name) ? { kind: 'found', values: ['192.0.2.1'] } : response(zone, `A ${name}`),
      mx: async (name) => {
        const found = response(zone, `MX ${name}`);
        if (found.kind !== 'found') return found;
        return { kind: 'found', values: found.values.map((exchange) => ({ preference: 10, exchange })) };
      },
    },
  });
const judge = async (zone: Zone) => (await evaluate(zone)).verdict;

const spend = (count: number) => Array.from({ length: count }, (_, at) => `a:h${at}.test`).join(' ');

describe('SPF passes when a receiver reaches our include', () => {
  it.each<[string, Zone]>([
    ['directly', { 'a.test': 'v=spf1 include:spf.svc.test ~all' }],
    ['in capitals and with a dot', { 'a.test': 'V=SPF1 INCLUDE:SPF.svc.test. -ALL' }],
    ['with a plus', { 'a.test': 'v=spf1 +include:spf.svc.test' }],
    ['next to other text records', { 'a.test': ['site-verification=1', 'v=spf1 include:spf.svc.test -all'] }],
    [
      'after mechanisms that do not match',
      {
        'a.test': 'v=spf1 ip4:192.0.2.0/24 a mx ptr exists:%{i}.b.test include:spf.svc.test -all',
        'A a.test': '192.0.2.1',
        'MX a.test': 'mx.a.test',
      },
    ],
    [
      'after two look-ups that find nothing',
      { 'a.test': 'v=spf1 a:gone.test mx:gone.test include:spf.svc.test -all' },
    ],
    [
      'behind the macro of the sender’s domain, in an include',
      {
        'a.test': 'v=spf1 include:b.test -all',
        'b.test': 'v=spf1 include:%{o}.c.test -all',
        'a.test.c.test': 'v=spf1 include:spf.svc.test',
      },
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
      'after a macro with an unknown value',
      { 'a.test': 'v=spf1 include:%{i}._spf.b.test include:spf.svc.test -all' },
    ],
    [
      'behind the domain macro',
      { 'a.test': 'v=spf1 include:%{d}.b.test -all', 'a.test.b.test': 'v=spf1 include:spf.svc.test' },
    ],
    [
      'behind the domain macro of an included record, which is its own domain (RFC 7208 §7.2)',
      {
        'a.test': 'v=spf1 include:b.test -all',
        'b.test': 'v=spf1 include:%{d}.c.test -all',
        'b.test.c.test': 'v=spf1 include:spf.svc.test',
      },
    ],
    ['as the tenth look-up', { 'a.test': `v=spf1 ${spend(9)} include:spf.svc.test -all` }],
    ['with an unknown modifier', { 'a.test': 'v=spf1 x-note=hello include:spf.svc.test exp=why.test -all' }],
  ])('%s', async (_name, zone) => {
    expect(await judge(zone)).toBe('pass');
  });
});

const TEN = Array.from({ length: 11 }, (_, at) => `mx${at}.test`);

describe('SPF fails with a reason', () => {
  it.each<[string, Zone, code: string]>([
    ['without a record', {}, 'not_found'],
    ['with other texts only', { 'a.test': ['hello', 'v=spf10 include:spf.svc.test'] }, 'not_found'],
    ['in quotation marks', { 'a.test': '"v=spf1 include:spf.svc.test -all"' }, 'quoted'],
    ['with two records', { 'a.test': ['v=spf1 include:spf.svc.test -all', 'v=spf1 mx -all'] }, 'spf_several'],
    ['without us', { 'a.test': 'v=spf1 ip4:192.0.2.1 -all' }, 'spf_include_missing'],
    ['without anything', { 'a.test': 'v=spf1' }, 'spf_include_missing'],
    ['when all comes first', { 'a.test': 'v=spf1 ~all include:spf.svc.test' }, 'spf_after_all'],
    ['when +all comes first', { 'a.test': 'v=spf1 +all include:spf.svc.test' }, 'spf_after_all'],
    ['with +all alone', { 'a.test': 'v=spf1 +all' }, 'spf_anybody'],
    ['with another qualifier', { 'a.test': 'v=spf1 ~include:spf.svc.test -all' }, 'spf_wrong_qualifier'],
    [
      'with another qualifier on the way',
      { 'a.test': 'v=spf1 ?include:b.test -all', 'b.test': 'v=spf1 include:spf.svc.test' },
      'spf_include_missing',
    ],
    [
      'with another qualifier inside',
      { 'a.test': 'v=spf1 include:b.test -all', 'b.test': 'v=spf1 ?include:spf.svc.test' },
      'spf_include_missing',
    ],
    [
      'when a minus include matches first',
      { 'a.test': 'v=spf1 -include:b.test include:spf.svc.test', 'b.test': 'v=spf1 include:spf.svc.test' },
      'spf_include_missing',
    ],
    [
      'after a broken include',
      { 'a.test': 'v=spf1 include:gone.test include:spf.svc.test -all' },
      'spf_broken_include',
    ],
    [
      'after an include with two records',
      { 'a.test': 'v=spf1 include:b.test include:spf.svc.test', 'b.test': ['v=spf1 a', 'v=spf1 mx'] },
      'spf_broken_include',
    ],
    [
      'after an include with a mistake',
      { 'a.test': 'v=spf1 include:b.test include:spf.svc.test', 'b.test': 'v=spf1 ip4:1.2.3 -all' },
      'spf_broken_include',
    ],
    [
      'in an included record with a mistake behind us (RFC 7208 §4.6)',
      { 'a.test': 'v=spf1 include:b.test', 'b.test': 'v=spf1 include:spf.svc.test ip4:1.2.3 -all' },
      'spf_broken_include',
    ],
    [
      'after an include that lets any sender pass',
      { 'a.test': 'v=spf1 include:b.test include:spf.svc.test', 'b.test': 'v=spf1 +all' },
      'spf_anybody',
    ],
    [
      'as the eleventh look-up',
      { 'a.test': `v=spf1 ${spend(10)} include:spf.svc.test -all` },
      'spf_too_many_lookups',
    ],
    [
      'when ptr and exists use the look-ups up',
      { 'a.test': `v=spf1 ${spend(8)} ptr exists:%{i}.b.test include:spf.svc.test -all` },
      'spf_too_many_lookups',
    ],
    [
      'when includes inside includes use them up',
      {
        'a.test': 'v=spf1 include:b.test include:spf.svc.test -all',
        'b.test': `v=spf1 ${spend(9)} -all`,
      },
      'spf_too_many_lookups',
    ],
    [
      'after three look-ups that find nothing',
      { 'a.test': 'v=spf1 a mx exists:gone.test include:spf.svc.test -all' },
      'spf_too_many_void_lookups',
    ],
    [
      'after a name with more than ten mail exchangers',
      { 'a.test': 'v=spf1 mx include:spf.svc.test -all', 'MX a.test': TEN },
      'spf_broken_include',
    ],
    ['with a loop', { 'a.test': 'v=spf1 include:a.test include:spf.svc.test' }, 'spf_too_many_lookups'],
    [
      'with an unknown mechanism',
      { 'a.test': 'v=spf1 include:spf.svc.test ipv4:192.0.2.1 -all' },
      'spf_syntax',
    ],
    ['with a redirect to nowhere', { 'a.test': 'v=spf1 redirect=gone.test' }, 'spf_broken_include'],
    ['with a redirect behind all', { 'a.test': 'v=spf1 -all redirect=spf.svc.test' }, 'spf_include_missing'],
    [
      'with redirect twice',
      { 'a.test': 'v=spf1 include:spf.svc.test redirect=b.test redirect=c.test' },
      'spf_syntax',
    ],
  ])('%s', async (_name, zone, code) => {
    expect(await evaluate(zone)).toMatchObject({ verdict: 'fail', cause: { code } });
  });
});

describe('SPF is not judged', () => {
  it.each<[string, Zone]>([
    ['when the record cannot be looked up', { 'a.test': 'UNKNOWN' }],
    [
      'when an include before ours cannot',
      { 'a.test': 'v=spf1 include:b.test include:spf.svc.test', 'b.test': 'UNKNOWN' },
    ],
    ['when a host before ours cannot', { 'a.test': 'v=spf1 a include:spf.svc.test', 'A a.test': 'UNKNOWN' }],
  ])('%s', async (_name, zone) => {
    expect(await judge(zone)).toBe('unknown');
  });

  it('but an include behind ours does not matter', async () => {
    expect(await judge({ 'a.test': 'v=spf1 include:spf.svc.test include:b.test', 'b.test': 'UNKNOWN' })).toBe(
      'pass',
    );
  });
});

import { describe, expect, test } from 'vitest';
import { HandZones } from './hand-zones.js';
import { lookUp } from './look-up.rules.js';
import { RecordIndex } from './record-index.js';
import type { PublishedRecord } from './published-zone.js';

const record = (type: string, host: string, content: string): PublishedRecord => ({ type, host, content });

function ask(
  name: string,
  type: string,
  published: PublishedRecord[] | undefined,
  zones: Record<string, PublishedRecord[]> = {},
) {
  const hand = new HandZones();
  for (const [zone, records] of Object.entries(zones)) hand.restore({ name: zone, records });
  const index = published === undefined ? undefined : new RecordIndex().addAll(published);
  const found = lookUp({ handZone: (asked) => hand.covering(asked), published: index }, name, type);
  return {
    outcome: found.outcome,
    byDefault: found.byDefault,
    types: found.records.map((answer) => answer.record.type),
  };
}

describe('a name is looked up', () => {
  test.each([
    ['anybody.test', 'MX', 'found', ['MX']],
    ['deep.below.anybody.test', 'MX', 'found', ['MX']],
    ['anybody.test', 'TXT', 'no-data', []],
    ['test', 'MX', 'no-data', []],
    ['example.com', 'MX', 'no-name', []],
    ['nodns.test', 'MX', 'no-name', []],
    ['_dmarc.nodns2.test', 'TXT', 'no-name', []],
    ['www.nodnsatall.example.test', 'A', 'no-name', []],
    ['nodns.com', 'A', 'no-name', []],
    ['a.test', 'TXT', 'found', ['TXT']],
    ['A.Test', 'TXT', 'found', ['TXT']],
    ['a.test', 'ANY', 'found', ['TXT', 'MX']],
    ['alias.test', 'TXT', 'found', ['CNAME', 'TXT']],
    ['alias.test', 'CNAME', 'found', ['CNAME']],
    ['alias.test', 'AAAA', 'no-data', ['CNAME']],
    ['outward.test', 'A', 'no-name', ['CNAME']],
    ['one.test', 'A', 'endless', Array.from({ length: 16 }, () => 'CNAME')],
    ['nomail.test', 'MX', 'found', ['MX']],
  ])('%s %s: %s', (name, type, outcome, types) => {
    const found = ask(name, type, [
      record('TXT', 'a.test', 'hello'),
      record('MX', 'a.test', '10 mx.a.test'),
      record('CNAME', 'alias.test', 'a.test'),
      record('CNAME', 'outward.test', 'www.example.com'),
      record('CNAME', 'one.test', 'two.test'),
      record('CNAME', 'two.test', 'one.test'),
      record('MX', 'nomail.test', '0 .'),
    ]);
    expect(found).toMatchObject({ outcome, types });
  });

  test('and only a missing MX is answered by default', () => {
    expect(ask('anybody.test', 'MX', []).byDefault).toBe(true);
    expect(ask('a.test', 'MX', [record('MX', 'a.test', '10 mx.a.test')]).byDefault).toBe(false);
  });

  test('and without the published records only fixed names are known', () => {
    expect(ask('anybody.test', 'MX', undefined).outcome).toBe('unknown');
    expect(ask('mx.local-internet.test', 'A', undefined).outcome).toBe('found');
    expect(ask('nodns.test', 'MX', undefined).outcome).toBe('no-name');
  });
});

describe('a hand-published zone', () => {
  const zones = {
    'a.test': [record('TXT', 'a.test', 'by hand'), record('TXT', 'x.y.a.test', 'deep')],
    'b.a.test': [record('A', 'b.a.test', '127.0.0.2')],
    'nodns.test': [record('A', 'nodns.test', '127.0.0.3')],
    'example.com': [record('CNAME', 'example.com', 'c.test')],
    'gone.test': [],
  };
  const published = [
    record('TXT', 'a.test', 'published'),
    record('MX', 'a.test', '10 mx.a.test'),
    record('A', 'c.test', '127.0.0.4'),
  ];

  test.each([
    ['a.test', 'TXT', 'found', ['TXT']],
    ['a.test', 'MX', 'no-data', []],
    ['y.a.test', 'TXT', 'no-data', []],
    ['z.a.test', 'MX', 'no-name', []],
    ['b.a.test', 'A', 'found', ['A']],
    ['nodns.test', 'A', 'found', ['A']],
    ['example.com', 'A', 'found', ['CNAME', 'A']],
    ['gone.test', 'MX', 'no-name', []],
    ['nota.test', 'MX', 'found', ['MX']],
  ])('replaces everything at its name and below: %s %s: %s', (name, type, outcome, types) => {
    expect(ask(name, type, published, zones)).toMatchObject({ outcome, types });
  });
});

describe('records', () => {
  test('that fit no packet or type are left out and counted', () => {
    const index = new RecordIndex().addAll([
      record('A', 'a.test', '127.0.0.300'),
      record('MX', 'a.test', 'mx.a.test'),
      record('MX', 'a.test', '70000 mx.a.test'),
      record('TXT', `${'l'.repeat(64)}.test`, 'x'),
      record('CNAME', 'b.test', 'two words'),
      record('SPF', 'a.test', 'v=spf1'),
      record('TXT', 'a.test', 'good'),
    ]);
    expect(index.unusable).toBe(6);
    expect(index.at('a.test').map(({ type }) => type)).toEqual(['TXT']);
  });

  test('of two owners of one domain stand once, and one CNAME only', () => {
    const index = new RecordIndex().addAll([
      record('TXT', 'a.test', 'same'),
      record('TXT', 'A.TEST.', 'same'),
      record('CNAME', 'k.a.test', 'first.svc.test'),
      record('CNAME', 'k.a.test', 'second.svc.test'),
    ]);
    expect(index.at('a.test')).toHaveLength(1);
    expect(index.at('k.a.test')).toEqual([{ type: 'CNAME', data: 'first.svc.test' }]);
  });

  test('hold international names as they travel', () => {
    const index = new RecordIndex().addAll([record('MX', 'bücher.test', '10 mx.bücher.test')]);
    expect(index.at('xn--bcher-kva.test')).toEqual([
      { type: 'MX', data: { preference: 10, exchange: 'mx.xn--bcher-kva.test' } },
    ]);
  });
});

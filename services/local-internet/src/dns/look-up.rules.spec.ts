import { describe, expect, test } from 'vitest';
import { lookUp } from './look-up.rules.js';
import { nameAndParents, RecordIndex, type PublishedRecord } from './records.rules.js';

const record = (type: string, host: string, content: string): PublishedRecord => ({ type, host, content });

function found(
  name: string,
  type: string,
  published: PublishedRecord[] | undefined,
  zones: Record<string, PublishedRecord[]> = {},
) {
  const zone = (covered: string) => {
    const found = [...nameAndParents(covered)].find((candidate) => candidate in zones);
    return found === undefined
      ? undefined
      : { index: new RecordIndex(zones[found] ?? []), failure: undefined, secure: false };
  };
  const index = published === undefined ? undefined : new RecordIndex(published);
  const { records, ...result } = lookUp({ zone, published: index }, name, type);
  return { ...result, types: records.map((answer) => answer.record.type) };
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
    ['one.test', 'A', 'failed', Array.from({ length: 16 }, () => 'CNAME')],
    ['nomail.test', 'MX', 'found', ['MX']],
  ])('%s %s: %s', (name, type, outcome, types) => {
    const result = found(name, type, [
      record('TXT', 'a.test', 'hello'),
      record('MX', 'a.test', '10 mx.a.test'),
      record('CNAME', 'alias.test', 'a.test'),
      record('CNAME', 'outward.test', 'www.example.com'),
      record('CNAME', 'one.test', 'two.test'),
      record('CNAME', 'two.test', 'one.test'),
      record('MX', 'nomail.test', '0 .'),
    ]);
    expect(result).toMatchObject({ outcome, types });
  });

  test('and only a missing MX is answered by default', () => {
    expect(found('anybody.test', 'MX', []).isDefault).toBe(true);
    expect(found('a.test', 'MX', [record('MX', 'a.test', '10 mx.a.test')]).isDefault).toBe(false);
  });

  test('and without the published records only fixed names are known', () => {
    expect(found('anybody.test', 'MX', undefined).outcome).toBe('unknown');
    expect(found('mx.local-internet.test', 'A', undefined).outcome).toBe('found');
    expect(found('nodns.test', 'MX', undefined).outcome).toBe('no-name');
  });
});

describe('a zone published by hand', () => {
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
    expect(found(name, type, published, zones)).toMatchObject({ outcome, types });
  });
});

describe('records', () => {
  test('that fit no packet or type are left out and counted', () => {
    const index = new RecordIndex([
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

  test('of two owners of one domain are listed once, and only one CNAME', () => {
    const index = new RecordIndex([
      record('TXT', 'a.test', 'same'),
      record('TXT', 'A.TEST.', 'same'),
      record('CNAME', 'k.a.test', 'first.svc.test'),
      record('CNAME', 'k.a.test', 'second.svc.test'),
    ]);
    expect(index.at('a.test')).toHaveLength(1);
    expect(index.at('k.a.test')).toEqual([{ type: 'CNAME', data: 'first.svc.test' }]);
  });

  test('hold international names in their wire form', () => {
    const index = new RecordIndex([record('MX', 'bücher.test', '10 mx.bücher.test')]);
    expect(index.at('xn--bcher-kva.test')).toEqual([
      { type: 'MX', data: { preference: 10, exchange: 'mx.xn--bcher-kva.test' } },
    ]);
  });
});

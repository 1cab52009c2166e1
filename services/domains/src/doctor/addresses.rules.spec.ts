import { describe, expect, it } from 'vitest';
import { NONE, unknown, type Lookup } from '../dns/dns-resolver.port.js';
import { judgePtr, reverseName } from './addresses.rules.js';

const found = (...values: string[]): Lookup<string> => ({ kind: 'found', values });
const seen = (
  names: Lookup<string>,
  forward: Record<string, Lookup<string>> = {},
  address = '198.41.0.4',
) => ({
  address,
  names,
  forward: new Map(Object.entries(forward)),
});

it.each([
  ['198.41.0.4', '4.0.41.198.in-addr.arpa'],
  ['2001:db8::a1', '1.a.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
  ['2001:db8:1:2:3:4:5:6', '6.0.0.0.5.0.0.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
])('%s is looked up at %s', (address, name) => expect(reverseName(address)).toBe(name));

describe('reverse DNS of our addresses', () => {
  const NAME = 'mta-a.mail.test';
  it.each([
    [seen(found(NAME), { [NAME]: found('198.41.0.4') }), 'ok', 'leads back'],
    [seen(found('old.test', NAME), { 'old.test': NONE, [NAME]: found('198.41.0.4') }), 'ok', 'leads back'],
    [seen(found(NAME), { [NAME]: found('2606:4700:0:0::1') }, '2606:4700::1'), 'ok', 'leads back'],
    [seen(NONE), 'fault', 'it has no PTR record'],
    [seen(found(NAME), { [NAME]: found('198.41.0.5') }), 'fault', `${NAME} does not lead back to it`],
    [seen(found(NAME), { [NAME]: unknown('no answer in time') }), 'unknown', 'no answer'],
    [seen(unknown('server failure')), 'unknown', 'no answer'],
    [
      seen(found('4-0-41-198.dsl.test'), { '4-0-41-198.dsl.test': found('198.41.0.4') }),
      'warning',
      'as addresses of homes are',
    ],
  ])('%#: is judged', (one, state, words) => {
    const judged = judgePtr([one]);
    expect(judged.state).toBe(state);
    expect(judged.text).toContain(words);
  });

  it('is a fault when one of several is wrong, whatever the others are', () => {
    const judged = judgePtr([seen(unknown('x')), seen(NONE, {}, '198.41.0.9')]);
    expect(judged).toMatchObject({ state: 'fault', fix: expect.stringContaining('198.41.0.9') });
    expect(judged.details).toHaveLength(2);
    expect(judgePtr([]).state).toBe('unknown');
  });
});

import { describe, expect, it } from 'vitest';
import { NONE, unknown, type Lookup } from '../dns/dns-resolver.port.js';
import {
  judgeAddressLists,
  judgeDomainLists,
  readAnswer,
  shownZone,
  type SeenList,
} from './block-lists.rules.js';

const found = (...values: string[]): Lookup<string> => ({ kind: 'found', values });
const ADDRESS = '198.41.0.4';

const list = (entry: Lookup<string>, change: Partial<SeenList> = {}): SeenList => ({
  zone: 'bl.test',
  present: [found('127.0.0.2')],
  absent: NONE,
  entries: new Map([[ADDRESS, entry]]),
  ...change,
});
const judge = (...lists: SeenList[]) => judgeAddressLists(1, lists);

describe('an answer of a block list', () => {
  it.each([
    [NONE, { kind: 'clear' }],
    [found('127.0.0.2', '127.0.0.10'), { kind: 'listed', codes: ['127.0.0.2', '127.0.0.10'] }],
    [found('127.0.1.2'), { kind: 'listed', codes: ['127.0.1.2'] }],
    [found('127.255.255.254'), { kind: 'refused', code: '127.255.255.254' }],
    [found('127.0.0.1'), { kind: 'refused', code: '127.0.0.1' }],
    [found('127.0.1.255'), { kind: 'clear' }],
    [unknown('no answer in time'), { kind: 'unknown', reason: 'no answer in time' }],
    // a resolver that answers every name with its own page
    [found('192.0.2.80'), { kind: 'unknown', reason: 'the answer 192.0.2.80 is none of a block list' }],
  ])('%j is %j', (lookup, answer) => expect(readAnswer(lookup)).toMatchObject(answer));
});

it('the key in a zone of Spamhaus for customers is not shown', () => {
  expect(shownZone('abc123.zen.dq.spamhaus.net')).toBe('zen.dq.spamhaus.net');
  expect(shownZone('zen.spamhaus.org')).toBe('zen.spamhaus.org');
});

describe('the check of lists', () => {
  it('is a fault for an entry, with the list and its code', () => {
    const { state, text, fix } = judge(list(NONE, { zone: 'other.test' }), list(found('127.0.0.4')));
    expect([state, text]).toEqual(['fault', `${ADDRESS} is on bl.test (127.0.0.4).`]);
    expect(fix).toContain('asks bl.test for a removal');
  });

  it('is right when the lists that answer have no entry', () => {
    const { state, text } = judge(list(NONE), list(NONE, { present: [found('127.255.255.254')] }));
    expect([state, text]).toEqual([
      'ok',
      'Not listed by the 1 of 2 block lists that answer for our sending addresses.',
    ]);
  });

  it.each([
    [{ present: [found('127.255.255.254')] }, 'refuses our queries (127.255.255.254)'],
    [{ present: [NONE] }, 'does not have its own test entry'],
    [{ present: [unknown('server failure')] }, 'gives no answer: server failure'],
    [{ absent: found('127.0.0.2') }, 'lists everything'],
  ])('says of a list with %j that nothing is known, though it seems to list us', (change, words) => {
    const { state, details } = judge(list(found('127.0.0.2'), change));
    expect(state).toBe('unknown');
    expect(details.join()).toContain(words);
  });

  it('is not known for an entry that one list refuses to give', () => {
    expect(judge(list(found('127.255.255.255')))).toMatchObject({
      state: 'unknown',
      details: [`bl.test, ${ADDRESS}: refused (127.255.255.255)`],
    });
  });

  it('takes a list of names that refuses addresses for one that works', () => {
    const dbl = list(NONE, {
      present: [NONE, found('127.0.1.255')],
      entries: new Map([['shop.test', NONE]]),
    });
    expect(judgeDomainLists('shop.test', [dbl]).state).toBe('ok');
    const listed = { ...dbl, entries: new Map([['shop.test', found('127.0.1.2')]]) };
    expect(judgeDomainLists('shop.test', [listed])).toMatchObject({
      state: 'fault',
      text: 'shop.test is on bl.test (127.0.1.2).',
    });
  });

  it('is not known without lists or public addresses', () => {
    expect(judge().state).toBe('unknown');
    expect(judgeAddressLists(0, []).fix).toContain('POSTMESH_SENDING_ADDRESSES');
  });
});

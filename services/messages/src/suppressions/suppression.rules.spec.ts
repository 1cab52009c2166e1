import { describe, expect, it } from 'vitest';
import { newId, type AccountId } from '@postmesh/contracts';
import {
  atMostPermanent,
  mergeCauses,
  PERMANENT,
  suppressionEvents,
  timestampOf,
  type ChangedSuppression,
} from './suppression.rules.js';

const ACCOUNT = newId() as AccountId;
const change = (n: number, more: Partial<ChangedSuppression> = {}): ChangedSuppression => ({
  id: newId(),
  accountId: ACCOUNT,
  domain: 'shop.test',
  email: `r${n}@mail.test`,
  reason: '',
  protected: false,
  source: 'api',
  createdAt: new Date(0),
  expiresAt: PERMANENT,
  revision: n,
  kind: 'created',
  ...more,
});

describe('the events of changes', () => {
  it.each([
    [0, []],
    [1, [1]],
    [300, [300]],
    [301, [300, 1]],
    [1_000, [300, 300, 300, 100]],
  ])('%i changes', (count, sizes) => {
    const changes = Array.from({ length: count }, (_, n) => change(n));
    const events = suppressionEvents(changes);
    expect(events.map(({ data }) => (data as { changes: unknown[] }).changes.length)).toEqual(sizes);
  });

  it('are of one account each, in the order of the changes', () => {
    const other = newId() as AccountId;
    const events = suppressionEvents([change(1), change(2, { accountId: other }), change(3)]);
    expect(
      events.map(({ key, data }) => [
        key,
        (data as { changes: { revision: number }[] }).changes.map(({ revision }) => revision),
      ]),
    ).toEqual([
      [ACCOUNT, [1, 3]],
      [other, [2]],
    ]);
  });

  it('fit on every bus with the longest names and a reason that JSON escapes', () => {
    const longest = {
      domain: 'd'.repeat(253),
      email: 'e'.repeat(254),
      reason: '\u0001'.repeat(255),
    };
    const [event] = suppressionEvents(Array.from({ length: 300 }, (_, n) => change(n, longest)));
    expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(900_000);
  });
});

describe('causes for the same address and domain', () => {
  const early = new Date('2027-01-01T00:00:00Z');
  it.each([
    [
      'the later end',
      { expiresAt: early },
      { expiresAt: PERMANENT },
      { expiresAt: PERMANENT, protected: false },
    ],
    [
      'the end of the first',
      { expiresAt: PERMANENT },
      { expiresAt: early },
      { expiresAt: PERMANENT, protected: false },
    ],
    ['the protection of the second', {}, { protected: true }, { protected: true, reason: '' }],
    ['the reason of the first', { reason: 'a' }, { reason: 'b' }, { reason: 'a' }],
  ])('have %s', (_what, first, second, expected) => {
    const merged = mergeCauses([change(1, first), change(1, second), change(2)]);
    expect(merged).toHaveLength(2);
    expect(merged[0]).toMatchObject(expected);
  });
});

describe('times', () => {
  it.each([
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59Z'],
    ['2027-01-01T00:00:00.000Z', '2027-01-01T00:00:00Z'],
    ['2027-01-01T00:00:00.010Z', '2027-01-01T00:00:00.010Z'],
  ])('%s is written %s', (given, expected) => {
    expect(timestampOf(atMostPermanent(new Date(given)))).toBe(expected);
  });
});

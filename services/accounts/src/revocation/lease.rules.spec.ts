import { describe, expect, it } from 'vitest';
import { leaseResponse, isCurrent } from './lease.rules.js';

const change = (revision: number, keyIds: string[], accountIds: string[] = []) => ({
  revision,
  keyIds,
  accountIds,
});

describe('the keys that a gateway must drop', () => {
  it('nothing when it is current', () => {
    expect(leaseResponse(7, 7, [], 3_000)).toEqual({
      revision: 7,
      lease_ms: 3_000,
      reset: false,
      key_ids: [],
      account_ids: [],
    });
  });

  it('keys changed since its revision, each once', () => {
    const changes = [change(6, ['a']), change(7, ['a', 'b'], ['x'])];
    expect(leaseResponse(5, 7, changes, 0)).toMatchObject({
      reset: false,
      key_ids: ['a', 'b'],
      account_ids: ['x'],
    });
  });

  it.each([
    ['at its first question', null, 7, []],
    ['when changes are no longer kept', 4, 7, [change(6, ['a']), change(7, ['b'])]],
    ['when the database went back in time', 9, 7, []],
  ])('everything %s', (_case, acked, revision, changes) => {
    expect(leaseResponse(acked, revision, changes, 0)).toMatchObject({ reset: true, key_ids: [] });
  });
});

it('a lease is for caches that are current or empty', () => {
  expect([isCurrent(null, 3), isCurrent(3, 3), isCurrent(2, 3), isCurrent(4, 3)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

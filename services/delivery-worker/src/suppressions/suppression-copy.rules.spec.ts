import { describe, expect, it } from 'vitest';
import { SuppressionsChanged, type SuppressionChange } from '@postmesh/messages-contract';
import {
  factOfListed,
  factsOfChanges,
  newestOfEach,
  type SuppressionFact,
} from './suppression-copy.rules.js';

const ACCOUNT = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';
const [example] = SuppressionsChanged.examples[0]!.changes;
const changed = (...changes: Partial<SuppressionChange>[]) =>
  SuppressionsChanged.make(
    { account_id: ACCOUNT, changes: changes.map((change) => ({ ...example!, ...change })) },
    { account_id: ACCOUNT },
  );

describe('a fact for the copy', () => {
  it.each([
    ['created', '2026-02-04T08:00:03.000Z'],
    ['extended', '2026-02-04T08:00:03.000Z'],
    ['removed', null],
  ] as const)('by a change of kind %s: suppressed until %s', (kind, suppressedUntil) => {
    expect(factsOfChanges([changed({ kind })])).toEqual([
      { accountId: ACCOUNT, domain: 'shop.test', recipient: 'gone@mail.test', suppressedUntil, revision: 17 },
    ]);
  });

  it('by a page of the list is the same as by the event', () => {
    const { domain, recipient, expires_at, revision } = example!;
    expect(factOfListed({ account_id: ACCOUNT, domain, recipient, expires_at, revision })).toEqual(
      factsOfChanges([changed({})])[0],
    );
  });
});

describe('the newest of each row', () => {
  const fact = (recipient: string, revision: number, domain = 'shop.test'): SuppressionFact => ({
    ...factsOfChanges([changed({ recipient, revision, domain })])[0]!,
  });

  it('has the highest revision, in any order of arrival', () => {
    expect(newestOfEach([fact('a@mail.test', 2), fact('a@mail.test', 3), fact('a@mail.test', 1)])).toEqual([
      fact('a@mail.test', 3),
    ]);
  });

  it('is one of account, domain and recipient, in their order', () => {
    expect(
      newestOfEach([fact('b@mail.test', 1), fact('a@mail.test', 5), fact('b@mail.test', 2, 'a.test')]),
    ).toEqual([fact('b@mail.test', 2, 'a.test'), fact('a@mail.test', 5), fact('b@mail.test', 1)]);
  });
});

import { describe, expect, it } from 'vitest';
import { newestPerAccount } from './newest-per-account.js';

const fact = (account_id: string, revision: number, state = 'active') => ({
  account_id,
  parent_account_id: null,
  state,
  revision,
});

describe('account states', () => {
  it('keep the newest fact of each account, whatever the order', () => {
    const facts = [fact('a', 2, 'suspended'), fact('b', 1), fact('a', 1)];
    expect(newestPerAccount(facts)).toEqual([fact('a', 2, 'suspended'), fact('b', 1)]);
  });
});

import { describe, expect, it } from 'vitest';
import { refuseEmptyUpdate, updated } from './update-sub-account.rules.js';

const CHILD = { name: 'Acme', website: 'acme.test', monthlyCredit: 10 };

describe('§10.3 updating a sub-account', () => {
  it.each([[{}], [{ name: null }], [{ name: null, website: null, monthly_credit: null }]])(
    'needs something: %j',
    (input) => {
      expect(() => refuseEmptyUpdate(input)).toThrow('at least one field must be provided');
    },
  );

  it('takes a credit of 0 for something', () => {
    expect(() => refuseEmptyUpdate({ monthly_credit: 0 })).not.toThrow();
  });

  it.each([
    [{ name: 'Other' }, { ...CHILD, name: 'Other' }],
    [
      { name: 'Acme', website: 'other.test' },
      { ...CHILD, website: 'other.test' },
    ],
    [{ monthly_credit: 0 }, { ...CHILD, monthlyCredit: 0 }],
    [
      { name: null, monthly_credit: 11 },
      { ...CHILD, monthlyCredit: 11 },
    ],
  ])('%j leads to %j', (input, columns) => {
    expect(updated(CHILD, input)).toEqual(columns);
  });

  it.each([[{ name: 'Acme' }], [{ name: 'Acme', website: 'acme.test', monthly_credit: 10 }]])(
    '%j changes nothing',
    (input) => {
      expect(() => updated(CHILD, input)).toThrow('no changes to apply');
    },
  );
});

import { describe, expect, it } from 'vitest';
import { AccountId } from '@postmesh/contracts';
import { limitsChange } from './limits-change.rules.js';

const general = { per_second: 5, burst: 10 };
const statistics = { per_second: 1, burst: 2 };
const account = {
  parentAccountId: null,
  name: 'Example',
  platformPartner: true,
  monthlyCredit: 0,
  rateLimits: null,
};

describe('a change of an account by an operator', () => {
  it.each([
    [{ name: 'Other' }, { name: 'Other' }, 'none'],
    [{ platform_partner: false }, { platformPartner: false }, 'family'],
    [{ monthly_credit: 7, name: 'Example' }, { monthlyCredit: 7 }, 'family'],
    [{ rate_limits: { general } }, { rateLimits: { general, statistics: null } }, 'itself'],
    [
      { rate_limits: { general }, monthly_credit: 1 },
      { rateLimits: { general, statistics: null }, monthlyCredit: 1 },
      'family',
    ],
  ])('%j', (input, columns, reach) => {
    expect(limitsChange(account, input)).toMatchObject({ columns, reach });
  });

  it('is recorded with the values before', () => {
    expect(limitsChange(account, { monthly_credit: 7, name: 'Example' })).toMatchObject({
      details: { before: { monthly_credit: 0 }, after: { monthly_credit: 7 } },
    });
  });

  const limited = { ...account, rateLimits: { general, statistics } };
  it.each([
    [{ rate_limits: null }, null],
    [{ rate_limits: { general: null } }, { general: null, statistics }],
    [{ rate_limits: { statistics: null } }, { general, statistics: null }],
    [{ rate_limits: { general: null, statistics: null } }, null],
    [
      { rate_limits: { general: { burst: 11, per_second: 5 } } },
      { general: { per_second: 5, burst: 11 }, statistics },
    ],
  ])('rates: %j', (input, rateLimits) => {
    expect(limitsChange(limited, input)?.columns).toEqual({ rateLimits });
  });

  it.each([
    {},
    { name: 'Example', platform_partner: true, monthly_credit: 0, rate_limits: { general, statistics } },
    { rate_limits: { general: { burst: 10, per_second: 5 } } },
    { rate_limits: {} },
  ])('nothing, when it is so already: %j', (input) => {
    expect(limitsChange(limited, input)).toBeUndefined();
  });

  it('rejects fields that a sub-account has from its parent', () => {
    const child = { ...account, parentAccountId: AccountId.parse('0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0') };
    expect(() => limitsChange(child, { platform_partner: true })).toThrow(
      'platform_partner is that of the parent account: set it there',
    );
    expect(limitsChange(child, { monthly_credit: 3 })?.columns).toEqual({ monthlyCredit: 3 });
  });
});

import { describe, expect, it } from 'vitest';
import { isIncomplete, mergedClaims, readIdentity } from './identity.rules.js';

const OIDC = {
  name: 'Acme',
  domains: ['shop.example'] as readonly string[] | undefined,
  trustsAddresses: false,
  readsGroups: false,
  groupsClaim: 'groups',
};
const ANN = { email: 'Ann@Shop.example', email_verified: true };
const read = (claims: object, oidc: Partial<typeof OIDC> = {}) =>
  readIdentity({ ...ANN, ...claims }, { ...OIDC, ...oidc });

describe('the person of a sign-in', () => {
  it('has a verified address of a domain of ours', () => {
    expect(read({ name: ' Ann\r\nBcc: x ', auth_time: 1_700_000_000 })).toEqual({
      email: 'ann@shop.example',
      name: 'Ann Bcc: x',
      groups: [],
      loggedInAt: new Date('2023-11-14T22:13:20Z'),
    });
    expect(read({ email_verified: 'true' }).email).toBe('ann@shop.example');
    expect(read({ email_verified: undefined }, { trustsAddresses: true }).email).toBe('ann@shop.example');
  });

  it.each([
    [{ email: undefined }, 'Acme gave no email address of yours'],
    [{ email: 'nonsense' }, 'Acme gave no email address of yours'],
    [{ email: ['ann@shop.example'] }, 'Acme gave no email address of yours'],
    [{ email_verified: undefined }, 'Acme has not verified your email address'],
    [{ email_verified: 'false' }, 'Acme has not verified your email address'],
    [{ email_verified: 1 }, 'Acme has not verified your email address'],
    [{ email: 'ann@evil.example' }, 'addresses of evil.example do not sign in with Acme here'],
    [{ email: 'ann@mail.shop.example' }, 'addresses of mail.shop.example do not sign in with Acme here'],
    [{ email: 'ann@notshop.example' }, 'addresses of notshop.example do not sign in with Acme here'],
  ])('is refused with %j', (claims, message) => {
    expect(() => read(claims)).toThrow(message);
  });

  it('may be of any domain where none is named', () => {
    expect(read({ email: 'bob@other.example' }, { domains: undefined }).email).toBe('bob@other.example');
  });

  it('is refused where the provider says that the address is not verified, whatever is trusted', () => {
    expect(() => read({ email_verified: false }, { trustsAddresses: true })).toThrow('has not verified');
  });

  it.each([
    [{ groups: ['a', 7, 'b'] }, 'groups', ['a', 'b']],
    [{ groups: 'a' }, 'groups', ['a']],
    [{ realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
    [{ 'https://shop.example/groups': ['a'] }, 'https://shop.example/groups', ['a']],
    [{}, 'groups', []],
    [{}, 'constructor.name', []],
  ])('has its groups in %j at %s', (claims, groupsClaim, groups) => {
    expect(read(claims, { groupsClaim }).groups).toEqual(groups);
  });

  it('is refused when the groups are too many to be listed: they are not none', () => {
    expect(() => read({ _claim_names: { groups: 'src1' } })).toThrow('did not list your groups');
  });

  it('is asked for again where the token has no address, or no groups that are needed', () => {
    expect(isIncomplete({}, OIDC)).toBe(true);
    expect(isIncomplete({ email: ANN.email }, OIDC)).toBe(true);
    expect(isIncomplete({ email: ANN.email }, { ...OIDC, trustsAddresses: true })).toBe(false);
    expect(isIncomplete(ANN, OIDC)).toBe(false);
    expect(isIncomplete(ANN, { ...OIDC, readsGroups: true })).toBe(true);
    expect(isIncomplete({ ...ANN, groups: [] }, { ...OIDC, readsGroups: true })).toBe(false);
  });
});

it('an address is verified by the source that it is from', () => {
  const other = { email: 'bob@shop.example', groups: ['a'] };
  expect(mergedClaims(ANN, other)).toEqual({ ...other, email_verified: undefined });
  expect(mergedClaims({ sub: '7' }, ANN)).toEqual({ sub: '7', ...ANN });
  expect(mergedClaims(ANN, { groups: ['a'] })).toEqual({ ...ANN, groups: ['a'] });
});

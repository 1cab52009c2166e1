import { describe, expect, it } from 'vitest';
import { OPERATIONS, type OperationSpec } from '../http/operations.js';
import { MEMBER_ROLES, type MemberRole } from './member-role.js';
import { coversScope, mayReadContents, ROLES } from './roles.js';
import { SCOPE_FAMILIES, STATIC_SCOPES } from './scopes.js';

const holder = (role: MemberRole) => ({ scopes: [...ROLES[role].scopes] });

/** The scopes of which a role has none. */
const lacking = (role: MemberRole): string[] =>
  [...STATIC_SCOPES, ...SCOPE_FAMILIES.map((family) => `${family}:all`)].filter(
    (scope) => !coversScope(holder(role), scope),
  );

describe('spec 1-platform §8 roles of members', () => {
  it('an Administrator may do everything', () => expect(lacking('Administrator')).toEqual([]));

  it('a Developer may do everything but members and billing', () => {
    expect(lacking('Developer')).toEqual([
      'accounts:billing',
      'accounts:members:read',
      'accounts:members:add',
      'accounts:members:update',
      'accounts:members:remove',
    ]);
  });

  it('an Analyst may use operations that read, and every one of them', () => {
    const allowed = Object.values(OPERATIONS as Record<string, OperationSpec>).filter(({ scope }) =>
      scope.kind === 'static'
        ? scope.scopes.every((one) => coversScope(holder('Analyst'), one))
        : scope.kind === 'family' && coversScope(holder('Analyst'), `${scope.family}:all`),
    );
    expect(allowed.every(({ method, path }) => method === 'GET' || path.endsWith('/preview'))).toBe(true);
    const reads = Object.values(OPERATIONS as Record<string, OperationSpec>).filter(
      ({ method, scope }) => method === 'GET' && (scope.kind === 'static' || scope.kind === 'family'),
    );
    expect(allowed).toEqual(expect.arrayContaining(reads));
  });

  it('a Billing Manager reads the account and its usage, and manages billing', () => {
    expect(ROLES['Billing Manager'].scopes).toEqual([
      'accounts:read',
      'accounts:billing',
      'sub-accounts:read',
      'sub-accounts:usage',
    ]);
  });

  it('two roles read the content of messages, and so does a key', () => {
    const user_id = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0' as never;
    const readers = MEMBER_ROLES.filter((role) => mayReadContents({ member: { user_id, role } }));
    expect(readers).toEqual(['Administrator', 'Developer']);
    expect(mayReadContents({})).toBe(true);
  });
});

it.each([
  [['*'], '*', true],
  [['messages:send:all'], 'messages:send:{shop.test}', true],
  [['messages:send:{shop.test}'], 'messages:send:{shop.test}', true],
  [['messages:send:{shop.test}'], 'messages:send:all', false],
  [['messages:send:{shop.test}'], 'messages:send:{mail.shop.test}', false],
  [['messages:read:all'], 'messages:send:all', false],
  [['accounts:read'], '*', false],
])('%j covers %s: %s', (scopes, scope, covered) => expect(coversScope({ scopes }, scope)).toBe(covered));

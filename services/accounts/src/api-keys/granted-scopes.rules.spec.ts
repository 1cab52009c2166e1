import { STATIC_SCOPES } from '@postmesh/contracts';
import { describe, expect, it } from 'vitest';
import { readScopes } from './granted-scopes.rules.js';

const own = { isSubAccount: false };
const child = { isSubAccount: true };
const names = (given: string[], owner = own) => readScopes(given, owner).map((one) => one.scope);

describe('§2.3 granting scopes', () => {
  it('there are 37 static scopes, each granted unchanged', () => {
    expect(STATIC_SCOPES).toHaveLength(37);
    expect(names([...STATIC_SCOPES])).toEqual([...STATIC_SCOPES]);
  });

  it.each([
    ['messages:send:{example.com}', 'messages:send:{example.com}'],
    ['messages:send:example.com', 'messages:send:{example.com}'],
    ['messages:send:{ Example.COM. }', 'messages:send:{example.com}'],
    ['messages:send:{münchen.example}', 'messages:send:{xn--mnchen-3ya.example}'],
    ['domains:delete:all', 'domains:delete:all'],
    ['*', '*'],
  ])('2. %j is stored as %j', (given, stored) => {
    expect(names([given])).toEqual([stored]);
  });

  it.each([
    '',
    'nonsense',
    'messages:send',
    'messages:send:',
    'messages:send:{}',
    'messages:send:{localhost}',
    'messages:send:{a.test',
    'messages:send:{a b.test}',
    'domains:read:{example.com}',
    'domains:read:all',
    'Domains:read',
    'messages:send:*',
    ' *',
    '__proto__',
  ])('4. %j is no scope', (given) => {
    expect(() => readScopes([given], own)).toThrow(`invalid scope: ${given}`);
  });

  it.each([
    ['send', 'messages:send:all'],
    ['mesages:send:all', 'messages:send:all'],
    ['messages:read', 'messages:read:all'],
    ['webhooks', 'webhooks:read:all'],
    ['domains:read:all', 'domains:read'],
    ['nonsense', 'messages:send:all'],
  ])('4. %s names as what would have been right %s', (given, example) => {
    expect(() => readScopes([given], own)).toThrow(`invalid scope: ${given} (for example ${example})`);
  });

  it('5. the same scope twice, in any spelling, is refused', () => {
    expect(() => readScopes(['messages:send:{a.test}', 'messages:send:A.test'], own)).toThrow(
      'duplicate scope: messages:send:{a.test}',
    );
  });

  it('6. domain scopes that the whole family or everything covers are dropped', () => {
    expect(names(['messages:send:{a.test}', 'messages:read:{a.test}', 'messages:send:all'])).toEqual([
      'messages:read:{a.test}',
      'messages:send:all',
    ]);
    expect(names(['messages:send:{a.test}', '*', 'domains:read', 'routes:read:all'])).toEqual([
      '*',
      'domains:read',
      'routes:read:all',
    ]);
  });

  it('7. a key of a sub-account gets no scope over sub-accounts', () => {
    for (const scope of ['sub-accounts:read', 'sub-account-api-keys:delete']) {
      expect(() => readScopes([scope], child)).toThrow(
        `scope is not allowed for a sub account key: ${scope}`,
      );
      expect(names([scope])).toEqual([scope]);
    }
    expect(names(['*'], child)).toEqual(['*']);
  });

  it('names the domain of a domain scope only', () => {
    expect(readScopes(['messages:send:{a.test}', 'messages:read:all'], own).map((one) => one.domain)).toEqual(
      ['a.test', undefined],
    );
  });
});

import { describe, expect, it } from 'vitest';
import { namedDomains, requireCover, requireCoverToReplay, requireTouch } from './smtp-credential.rules.js';

const error = (status: number, message: string) => expect.objectContaining({ status, message });
const NEEDED = error(400, 'domains is required when scope is scoped');
const NO_WRITE = error(403, 'api key does not have sufficient permissions to write smtp credentials');
const ALL = { scopes: ['smtp-credentials:write:all'] };
const STAR = { scopes: ['*'] };
const READ_ALL = { scopes: ['smtp-credentials:read:all'] };
const SHOP = { scopes: ['smtp-credentials:write:{shop.test}'] };

describe('§12 the domains of a new credential', () => {
  it.each([undefined, null, [], ['shop.test'], ['nonsense', 7, null], [{}]])(
    'global ignores %j',
    (domains) => {
      expect(namedDomains({ scope: 'global', domains })).toEqual([]);
    },
  );

  it.each([undefined, null, []])('scoped needs them, not %j', (domains) => {
    expect(() => namedDomains({ scope: 'scoped', domains })).toThrow(NEEDED);
  });

  it.each([
    [
      ['b.test', 'a.test'],
      ['b.test', 'a.test'],
    ],
    [
      [' SHOP.Test. ', 'shop.test', 'a.test', 'Shop.TEST'],
      ['shop.test', 'a.test'],
    ],
    [['bücher.test'], ['xn--bcher-kva.test']],
    [
      ['nonsense', ''],
      ['nonsense', ''],
    ],
  ])('scoped to %j are %j', (domains, names) => {
    expect(namedDomains({ scope: 'scoped', domains })).toEqual(names);
  });

  it('are texts of a bounded length', () => {
    expect(() => namedDomains({ scope: 'scoped', domains: ['x'.repeat(513)] })).toThrow(
      error(400, 'domains[0] must be at most 512 characters'),
    );
    expect(() => namedDomains({ scope: 'scoped', domains: ['a.test', 7] })).toThrow(
      error(400, 'domains[1] must be a string'),
    );
  });
});

describe('§12 body-every: scopes to create a credential', () => {
  it.each([
    ['anything with :all', ALL, { scope: 'global', domains: null }],
    ['anything with *', STAR, { scope: 'scoped', domains: ['other.test'] }],
    ['every domain authorised, in any spelling', SHOP, { scope: 'scoped', domains: ['SHOP.test.'] }],
  ] as const)('%s', (_what, holder, { scope, domains }) => {
    expect(() => requireCover(holder, { scope, domains: domains && [...domains] })).not.toThrow();
  });

  it.each([
    ['one domain more', SHOP, { scope: 'scoped', domains: ['shop.test', 'other.test'] }],
    ['a child of the domain', SHOP, { scope: 'scoped', domains: ['mail.shop.test'] }],
    ['global, whatever it names', SHOP, { scope: 'global', domains: ['shop.test'] }],
    ['what is no name, before it is looked for', SHOP, { scope: 'scoped', domains: ['nonsense'] }],
    ['the scope to read', READ_ALL, { scope: 'global', domains: [] }],
  ] as const)('not %s', (_what, holder, { scope, domains }) => {
    expect(() => requireCover(holder, { scope, domains: [...domains] })).toThrow(NO_WRITE);
  });

  it('the shape comes before the scopes', () => {
    expect(() => requireCover({ scopes: [] }, { scope: 'scoped', domains: [] })).toThrow(NEEDED);
  });
});

describe('§4.3 rule 10 the response to a create is replayed', () => {
  const body = (more: object) => ({ name: 'n', ...more });
  it.each([
    ['to :all', ALL, body({ scope: 'global' })],
    ['to a key of its domains', SHOP, body({ scope: 'scoped', domains: ['shop.test'] })],
    ['to anybody when it was refused for its shape', SHOP, body({ scope: 'scoped', domains: [] })],
    ['to anybody when it was no credential', SHOP, { name: 7 }],
    ['to anybody when it was no JSON', SHOP, undefined],
  ])('%s', (_what, holder, given) => expect(() => requireCoverToReplay(holder, given)).not.toThrow());

  it('not to a key that could not make it', () => {
    for (const given of [body({ scope: 'global' }), body({ scope: 'scoped', domains: ['a.test'] })]) {
      expect(() => requireCoverToReplay(SHOP, given)).toThrow(NO_WRITE);
    }
  });
});

describe('§12 any-of: scopes to read and delete a credential', () => {
  it.each([
    ['one of its domains', ['smtp-credentials:read:{shop.test}'], ['other.test', 'shop.test'], true],
    ['none of its domains', ['smtp-credentials:read:{shop.test}'], ['other.test'], false],
    ['a global one, or one that lost its domains', ['smtp-credentials:read:{shop.test}'], [], false],
    ['the same with :all', ['smtp-credentials:read:all'], [], true],
    ['another action', ['smtp-credentials:delete:all'], ['shop.test'], false],
  ])('%s', (_what, scopes, domains, may) => {
    const touch = () => requireTouch({ scopes }, 'read', domains);
    if (may) expect(touch).not.toThrow();
    else
      expect(touch).toThrow(
        error(403, 'api key does not have sufficient permissions to read smtp credentials'),
      );
  });
});

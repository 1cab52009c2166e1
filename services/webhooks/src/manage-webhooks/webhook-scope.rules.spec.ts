import { describe, expect, it } from 'vitest';
import { mayCover, mayTouch, visibleDomains, requireCover } from './webhook-scope.rules.js';

const ALL = { scopes: ['webhooks:write:all'] };
const STAR = { scopes: ['*'] };
const SHOP = { scopes: ['webhooks:write:{shop.test}'] };
const READ_SHOP = { scopes: ['webhooks:read:{shop.test}'] };

describe('one webhook may be touched with', () => {
  it.each([
    ['everything', STAR, [], true],
    [':all, global', ALL, [], true],
    ['one of its domains', SHOP, ['other.test', 'shop.test'], true],
    ['no domain scope when it is global', SHOP, [], false],
    ['no scope of another domain', SHOP, ['other.test'], false],
    ['no scope of the parent domain', SHOP, ['mail.shop.test'], false],
    ['no scope of another action', READ_SHOP, ['shop.test'], false],
  ])('%s', (_, holder, domains, may) => expect(mayTouch(holder, 'webhooks:write', domains)).toBe(may));
});

describe('a webhook may cover', () => {
  const scoped = (...domains: string[]) => ({ scope: 'scoped' as const, domains });
  it.each([
    ['anything with :all', ALL, { scope: 'global' as const, domains: [] }, true],
    ['every domain that is authorised', SHOP, scoped('shop.test'), true],
    ['not one more', SHOP, scoped('shop.test', 'other.test'), false],
    [
      'nothing global without :all, whatever domains are named',
      SHOP,
      { scope: 'global' as const, domains: ['shop.test'] },
      false,
    ],
    ['no domains at all', SHOP, scoped(), true],
  ])('%s', (_, holder, target, may) => expect(mayCover(holder, 'webhooks:write', target)).toBe(may));
});

it('a list shows all with :all, else what the domains allow', () => {
  expect(visibleDomains({ scopes: ['webhooks:read:all'] }, 'webhooks:read')).toBeUndefined();
  expect(visibleDomains({ scopes: ['*'] }, 'webhooks:read')).toBeUndefined();
  expect(
    visibleDomains(
      { scopes: ['webhooks:read:{a.test}', 'webhooks:read:{b.test}', 'webhooks:write:all'] },
      'webhooks:read',
    ),
  ).toEqual(['a.test', 'b.test']);
});

const hook = (more: object) => ({ name: 'n', url: 'https://shop.test/', ...more });
const shop = { scopes: ['webhooks:write:{shop.test}'] };

describe('§4.3 rule 10 the answer to a create is replayed', () => {
  it.each([
    ['to * whatever it covers', ['*'], hook({ scope: 'global' })],
    ['to :all', ['webhooks:write:all'], hook({ scope: 'scoped', domains: ['a.test'] })],
    ['to a key of its domains', shop.scopes, hook({ scope: 'scoped', domains: [' SHOP.test. '] })],
    ['to anybody when it was no webhook', shop.scopes, { name: 7 }],
    ['to anybody when it was no JSON', shop.scopes, undefined],
  ])('%s', (_what, scopes, body) => expect(() => requireCover({ scopes }, body)).not.toThrow());

  it.each([
    ['global', hook({ scope: 'global' })],
    ['global that names its domain', hook({ scope: 'global', domains: ['shop.test'] })],
    ['of another domain', hook({ scope: 'scoped', domains: ['shop.test', 'a.test'] })],
  ])('not to a key of one domain: %s', (_what, body) => {
    expect(() => requireCover(shop, body)).toThrow(
      'api key does not have sufficient permissions to write webhooks',
    );
  });
});

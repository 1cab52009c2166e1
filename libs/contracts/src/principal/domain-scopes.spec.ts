import { describe, expect, it } from 'vitest';
import { mayCover, mayTouch, visibleDomains } from './domain-scopes.js';

const ALL = { scopes: ['webhooks:write:all'] };
const STAR = { scopes: ['*'] };
const SHOP = { scopes: ['webhooks:write:{shop.test}'] };
const READ_SHOP = { scopes: ['webhooks:read:{shop.test}'] };

describe('§2.4 any-of: a resource with domains may be touched with', () => {
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

describe('§2.4 body-every: a new resource may cover', () => {
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

it('§2.4 filter: a list shows all with :all, else what the domains allow', () => {
  expect(visibleDomains({ scopes: ['webhooks:read:all'] }, 'webhooks:read')).toBeUndefined();
  expect(visibleDomains({ scopes: ['*'] }, 'webhooks:read')).toBeUndefined();
  expect(
    visibleDomains(
      { scopes: ['webhooks:read:{a.test}', 'webhooks:read:{b.test}', 'webhooks:write:all'] },
      'webhooks:read',
    ),
  ).toEqual(['a.test', 'b.test']);
});

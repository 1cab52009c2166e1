import { describe, expect, it } from 'vitest';
import { requireCover } from './webhook-scope.rules.js';

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

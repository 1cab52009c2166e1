import { expect, it } from 'vitest';
import { systemSenderDomain } from './system-domain.js';

it.each([
  [undefined, 'svc.test'],
  ['hello@Brand.Example', 'brand.example'],
  ['Brand <hello@brand.example>', 'brand.example'],
  ['"Us @ Brand" <hello@mail.brand.example> ', 'mail.brand.example'],
  ['hello', undefined],
  ['hello@brand', undefined],
  ['', undefined],
])('the service’s own messages from %s come from %s', (sender, domain) => {
  expect(systemSenderDomain(sender, 'svc.test')).toBe(domain);
});

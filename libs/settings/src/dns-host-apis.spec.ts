import { expect, it } from 'vitest';
import { dnsHostApis } from './dns-host-apis.js';

const setting = dnsHostApis({ env: 'APIS', description: '', default: {} });

it('addresses of DNS hosts are by name, without a slash at the end', () => {
  expect(setting.parse('desec=https://dns.test/api/v1/, route53=https://aws.test')).toEqual({
    desec: 'https://dns.test/api/v1',
    route53: 'https://aws.test',
  });
});

it.each([
  'desec',
  'other=https://a.test',
  'desec=http://a.test',
  'desec=https://',
  'constructor=https://a.test',
])('an address cannot be %s', (value) => expect(() => setting.parse(value)).toThrow('must be such as'));

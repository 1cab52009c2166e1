import { expect, it } from 'vitest';
import { matchesHost, PROVIDER_HOSTS, providerOfHost } from './provider-hosts.table.js';
import { REPLY_TABLE } from './replies.table.js';

it('a host is known by the end of its name, in any case', () => {
  expect(providerOfHost('gmail-smtp-in.l.google.com')).toBe('google');
  expect(providerOfHost('MTA7.AM0.YAHOODNS.NET')).toBe('yahoo');
  expect(providerOfHost('mx.mail.test')).toBeUndefined();
  expect(providerOfHost('notgoogle.com')).toBeUndefined();
  expect(providerOfHost('')).toBeUndefined();
});

it('a host that only reports has a provider, too, and is no destination', () => {
  expect(providerOfHost('googlemail.com')).toBe('google');
  expect(providerOfHost('AB1PR01MB0001.eurprd01.prod.outlook.com')).toBe('m365');
  expect(PROVIDER_HOSTS.google.some((each) => matchesHost(each, 'googlemail.com'))).toBe(false);
});

it('every provider that a row of replies names has its hosts here', () => {
  const named = new Set(REPLY_TABLE.provider.flatMap(({ provider = [] }) => provider));
  expect([...named].filter((id) => !(id in PROVIDER_HOSTS))).toEqual([]);
});

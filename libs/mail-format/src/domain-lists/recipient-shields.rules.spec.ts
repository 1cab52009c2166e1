import { describe, expect, it } from 'vitest';
import { normaliseDomain } from '@postmesh/contracts';
import { MEANT_DOMAINS, MISTYPED_DOMAINS } from './mistyped-domains.table.js';
import { shieldOf } from './recipient-shields.rules.js';

const LISTS = { toxic: new Set(['tempbox.test']), mistyped: new Set(['gmial.com', 'tempbox.test']) };
const TOXIC = '553 Requested action not taken: recipient domain is toxic or tempmail';
const MISTYPED = '553 Requested action not taken: recipient domain has common a typo';

describe('§7 rule 4: recipient shields', () => {
  it.each([
    [true, true, 'mail.test', undefined],
    [true, true, 'tempbox.test', TOXIC],
    [true, true, 'mx.deep.tempbox.test', TOXIC],
    [true, true, 'nottempbox.test', undefined],
    [true, true, 'gmial.com', MISTYPED],
    [true, true, 'mail.gmial.com', undefined],
    [false, true, 'tempbox.test', MISTYPED],
    [true, false, 'gmial.com', undefined],
    [false, false, 'tempbox.test', undefined],
  ])(
    'with bad %s, mistyped %s, %s: %s',
    (reject_bad_recipients, reject_mistyped_recipients, domain, said) => {
      expect(shieldOf({ reject_bad_recipients, reject_mistyped_recipients }, LISTS)(domain)).toBe(said);
    },
  );
});

describe('the misspellings that come with Postmesh', () => {
  it('are many, each a domain name, each once', () => {
    expect(MISTYPED_DOMAINS.length).toBeGreaterThan(100);
    expect(new Set(MISTYPED_DOMAINS).size).toBe(MISTYPED_DOMAINS.length);
    expect(MISTYPED_DOMAINS.filter((name) => normaliseDomain(name) !== name)).toEqual([]);
  });

  it('hold no provider, and no name that another provider has', () => {
    const providers = [
      ...MEANT_DOMAINS,
      ...['ymail.com', 'mail.com', 'email.com', 'gmx.com', 'gmx.de', 'gmx.net', 'web.de', 'rocketmail.com'],
      ...['gmail.co', 'hotmail.co', 'outlook.co', 'fmail.com', 'hmail.com', 'zmail.com', 'inmail.com'],
      ...['me.com', 'mac.com', 'pm.me', 'proton.me', 'fastmail.com', 'zoho.com', 'yandex.com', 'ya.ru'],
    ];
    expect(MISTYPED_DOMAINS.filter((name) => providers.includes(name))).toEqual([]);
  });
});

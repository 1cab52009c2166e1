import { describe, expect, it } from 'vitest';
import { explainingCheck } from './explaining-checks.rules.js';
import { EXPLAINING_ROWS } from './explaining-checks.table.js';

/** A host of each provider of the table. */
const HOSTS: Readonly<Record<string, string>> = {
  google: 'gmail-smtp-in.l.google.com',
  outlook: 'outlook-com.olc.protection.outlook.com',
  m365: 'shop-com.mail.protection.outlook.com',
  'm365-dane': 'shop-com.a-v1.mx.microsoft',
  yahoo: 'mta5.am0.yahoodns.net',
};
const of = (log: string, remoteHost: string | null = 'mx.mail.test') =>
  explainingCheck({ status: log.startsWith('4') ? 'TransientFailure' : 'Bounce', log, remoteHost });

const TRIALS = EXPLAINING_ROWS.flatMap((row) =>
  (row.provider ?? [undefined]).map((provider) => ({ row, host: provider && HOSTS[provider] })),
);

describe('a reply', () => {
  it.each(TRIALS)('$row.sample of $host is explained by $row.check', ({ row, host }) => {
    expect(of(row.sample, host)).toBe(row.check);
  });

  it.each(TRIALS)('$row.not of $host is not explained by $row.check', ({ row, host }) => {
    expect(of(row.not, host)).not.toBe(row.check);
  });

  it('is read by the codes of its own provider', () => {
    // RFC 7505 has 5.7.27 for a sender with a null MX
    expect(of('550 5.7.27 no')).toBeNull();
    expect(of('550 5.7.27 no', HOSTS['google'])).toBe('spf');
  });

  it('about the mailbox is explained by no check, and neither is a success or trouble of ours', () => {
    expect(of('550 5.1.1 user unknown')).toBeNull();
    expect(of('connection refused')).toBeNull();
    expect(explainingCheck({ status: 'Delivery', log: '250 2.0.0 SPF ok', remoteHost: null })).toBeNull();
  });
});

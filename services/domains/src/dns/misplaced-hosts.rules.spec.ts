import { describe, expect, it } from 'vitest';
import type { DnsRecordKind } from '../database/entities.js';
import { misplacedHosts } from './misplaced-hosts.rules.js';

const DOMAIN = 'mail.example.com';

describe('a record is looked up at common wrong hosts', () => {
  it.each<[DnsRecordKind, host: string, doubled: string[], wrong: string[]]>([
    ['spf', '', ['mail.example.com.example.com', 'mail.example.com.mail.example.com'], ['example.com']],
    [
      'tracking',
      'track.',
      ['track.mail.example.com.example.com', 'track.mail.example.com.mail.example.com'],
      ['track.example.com'],
    ],
    [
      'dkim',
      'managed._domainkey.',
      [
        'managed._domainkey.mail.example.com.example.com',
        'managed._domainkey.mail.example.com.mail.example.com',
      ],
      ['managed._domainkey.example.com', 'managed.mail.example.com'],
    ],
    [
      'dmarc',
      '_dmarc.',
      ['_dmarc.mail.example.com.example.com', '_dmarc.mail.example.com.mail.example.com'],
      ['mail.example.com', 'dmarc.mail.example.com'],
    ],
    ['mx', '', ['mail.example.com.example.com', 'mail.example.com.mail.example.com'], []],
  ])('%s at %s', (kind, below, doubled, wrong) => {
    const found = misplacedHosts({ kind, host: `${below}${DOMAIN}` }, DOMAIN);
    const at = (code: string) => found.filter((item) => item.code === code).map((item) => item.at);
    expect([at('host_doubled'), at('wrong_host')]).toEqual([doubled, wrong]);
  });

  it('of a registrable domain only with the domain twice', () => {
    expect(misplacedHosts({ kind: 'tracking', host: 'track.example.com' }, 'example.com')).toEqual([
      { code: 'host_doubled', at: 'track.example.com.example.com' },
    ]);
  });
});

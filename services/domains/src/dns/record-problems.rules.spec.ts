import { describe, expect, it } from 'vitest';
import { recordProblem } from './record-problems.rules.js';
import type { Cause } from './judgement.js';

const HOST = 'mail.example.com';
const spf = { kind: 'spf', type: 'TXT', host: HOST, content: 'v=spf1 include:spf.svc.test ~all' } as const;
const dkim = {
  kind: 'dkim',
  type: 'TXT',
  host: `s1._domainkey.${HOST}`,
  content: 'v=DKIM1; k=rsa; p=KEY',
} as const;
const track = { kind: 'tracking', type: 'CNAME', host: `track.${HOST}`, content: 'track.svc.test' } as const;
const dmarc = {
  kind: 'dmarc',
  type: 'TXT',
  host: `_dmarc.${HOST}`,
  content: 'v=DMARC1; p=quarantine;',
} as const;
const mx = { kind: 'mx', type: 'MX', host: HOST, content: '10 mx.svc.test' } as const;

type Row = [
  Cause,
  typeof spf | typeof dkim | typeof track | typeof dmarc | typeof mx,
  found: string,
  advice: string,
];

describe('the problem of a record, in words', () => {
  it.each<Row>([
    [{ code: 'not_found' }, spf, 'no SPF record', `Publish at ${HOST} a TXT record`],
    [{ code: 'not_found' }, track, `no CNAME record at track.${HOST}`, `Publish at track.${HOST} a CNAME`],
    [
      { code: 'host_doubled', at: `track.${HOST}.example.com` },
      track,
      `the record is at track.${HOST}.example.com`,
      'Enter "track.mail" as the host',
    ],
    [
      { code: 'host_doubled', at: 'example.com.example.com' },
      { ...spf, host: 'example.com' } as unknown as typeof spf,
      'is at example.com.example.com',
      'Enter "@" as the host',
    ],
    [
      { code: 'wrong_host', at: 'track.example.com' },
      track,
      'track.example.com',
      `Publish it at track.${HOST}`,
    ],
    [{ code: 'quoted', text: '"v=spf1 -all"' }, spf, '"v=spf1 -all"', 'quotation marks'],
    [
      { code: 'name_is_alias', target: 'host.else.test' },
      spf,
      'a CNAME at',
      'a TXT record at mail.example.com is not seen',
    ],
    [
      { code: 'alias_beside_data', target: 'x.test', texts: ['t'] },
      spf,
      'a CNAME to x.test and also "t"',
      'delete the others',
    ],
    [
      { code: 'inconclusive', reason: '192.0.2.1: no answer in time' },
      spf,
      '192.0.2.1: no answer in time',
      'still count',
    ],
    [
      {
        code: 'resolvers_disagree',
        views: [
          { resolver: '192.0.2.1', verdict: 'fail' },
          { resolver: '192.0.2.2', verdict: 'pass' },
        ],
      },
      spf,
      '192.0.2.1: not right; 192.0.2.2: right',
      'still count',
    ],
    [
      { code: 'alias_wrong_target', chain: ['a.test', 'b.test'] },
      track,
      `track.${HOST} → a.test → b.test`,
      'lead to track.svc.test',
    ],
    [
      { code: 'alias_wrong_target', chain: ['track.svc.test.example.com'] },
      track,
      `track.${HOST} → track.svc.test.example.com`,
      'adds example.com to the target automatically. Enter the target with a dot at its end: track.svc.test.',
    ],
    [{ code: 'alias_too_long', chain: ['a.test'] }, track, 'do not come to an end', 'directly'],
    [
      { code: 'alias_flattened', addresses: ['192.0.2.1'] },
      track,
      'the addresses of track.svc.test (192.0.2.1)',
      'plain CNAME',
    ],
    [
      { code: 'alias_proxied', addresses: ['192.0.2.1'] },
      track,
      'addresses (192.0.2.1) instead of a CNAME',
      'Switch the proxy off',
    ],
    [
      { code: 'alias_other_data', texts: ['v=DKIM1'] },
      track,
      'a text record: "v=DKIM1"',
      'publish the CNAME',
    ],
    [
      { code: 'mx_elsewhere', exchanges: ['mx.else.test', ''] },
      mx,
      'mx.else.test, no host (null MX)',
      'To send, it is not needed',
    ],
    [
      { code: 'spf_several', records: ['v=spf1 a', 'v=spf1 mx'] },
      spf,
      '2 SPF records: "v=spf1 a", "v=spf1 mx"',
      'Keep one',
    ],
    [
      { code: 'spf_syntax', record: 'v=spf1 ip4:x', term: 'ip4:x' },
      spf,
      '"ip4:x" is not understood',
      'Correct or remove "ip4:x"',
    ],
    [
      { code: 'spf_include_missing', record: 'v=spf1 -all' },
      spf,
      '"v=spf1 -all"',
      `Change it to: ${spf.content}`,
    ],
    [{ code: 'spf_after_all', record: 'v=spf1 -all x' }, spf, 'after "all"', 'Move our include before it'],
    [
      { code: 'spf_wrong_qualifier', record: 'v=spf1 ~include:x', qualifier: '~' },
      spf,
      'with "~" before it',
      'without a sign',
    ],
    [
      { code: 'spf_anybody', record: 'v=spf1 +all' },
      spf,
      'lets anybody send',
      'put our include before "all"',
    ],
    [{ code: 'spf_too_many_lookups', record: 'v=spf1' }, spf, 'more than 10 DNS look-ups', 'Remove includes'],
    [
      { code: 'spf_too_many_void_lookups', record: 'v=spf1', names: ['a.test', 'b.test'] },
      spf,
      'a.test, b.test',
      'Remove the mechanisms',
    ],
    [
      { code: 'spf_broken_include', record: 'v=spf1', name: 'gone.test', why: 'there is no SPF record' },
      spf,
      'leads to gone.test, and there there is no',
      'names gone.test',
    ],
    [{ code: 'dkim_several', count: 2 }, dkim, '2 keys', 'Keep only'],
    [{ code: 'dkim_no_key', texts: ['x'] }, dkim, 'no key (p=) in "x"', 'whole'],
    [{ code: 'dkim_malformed', text: 'x' }, dkim, '"x"', 'v=DKIM1 first'],
    [{ code: 'dkim_wrong_type', type: 'ed25519' }, dkim, 'the type ed25519', 'RSA key'],
    [{ code: 'dkim_revoked' }, dkim, 'revoked', 'Replace'],
    [
      { code: 'dkim_key_cut', length: 237, of: 392 },
      dkim,
      'the first 237 of 392 characters',
      '255 characters',
    ],
    [{ code: 'dkim_other_key', published: 'AAAA' }, dkim, 'another key: p=AAAA', 'another pair'],
    [
      { code: 'dkim_key_unreadable', published: 'A', isBare: false },
      dkim,
      'is no key',
      'characters are missing',
    ],
    [
      { code: 'dkim_key_unreadable', published: 'A', isBare: true },
      dkim,
      'in another form',
      'BEGIN PUBLIC KEY',
    ],
    [
      { code: 'dmarc_several', host: `_dmarc.${HOST}`, records: ['a', 'b'] },
      dmarc,
      '2 DMARC records',
      'all but one',
    ],
    [
      { code: 'dmarc_malformed', host: `_dmarc.${HOST}`, text: 'x', why: 'it has no p= (policy)' },
      dmarc,
      'it has no p=',
      'names a policy',
    ],
    [
      { code: 'dmarc_strict_spf', host: `_dmarc.${HOST}`, policy: 'reject', text: 'x' },
      dmarc,
      'aspf=s',
      'is rejected although SPF passes',
    ],
    [
      { code: 'dmarc_unaligned', host: `_dmarc.${HOST}`, policy: 'quarantine', text: 'x' },
      dmarc,
      'neither DKIM nor',
      'are quarantined',
    ],
  ])('%j', (cause, record, found, advice) => {
    const problem = recordProblem(cause, record);
    expect(problem.code).toBe(cause.code);
    expect(problem.found).toContain(found);
    expect(problem.advice).toContain(advice);
    expect(problem.wanted).not.toBe('');
  });

  it('names the wanted record', () => {
    const { wanted } = recordProblem({ code: 'not_found' }, track);
    expect(wanted).toBe(`CNAME record at track.${HOST}: track.svc.test`);
  });

  it('is bounded for any published record', () => {
    const records = Array.from({ length: 100 }, () => 'x'.repeat(10_000));
    expect(recordProblem({ code: 'spf_several', records }, spf).found.length).toBeLessThanOrEqual(1_000);
  });
});

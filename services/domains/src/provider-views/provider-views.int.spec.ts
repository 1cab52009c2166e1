import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { DomainDoctor } from '@postmesh/domains-contract';
import { domainsUnderTest } from '../testing/domains-under-test.js';
import { GmailDouble } from '../testing/gmail-double.js';

const folder = mkdtempSync(join(tmpdir(), 'postmesh-views-'));
let gmail: GmailDouble;
const domains = domainsUnderTest(async () => {
  gmail = await GmailDouble.start();
  const extraCaFile = join(folder, 'ca.pem');
  writeFileSync(extraCaFile, gmail.ca);
  return { extraCaFile, outgoingHttpAllow: ['127.0.0.1/32'], gmailPostmasterApi: gmail.api };
});
afterAll(async () => {
  expect(gmail.faults).toEqual([]);
  await gmail.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  domains.dns.set('A', 'gmail.double.test', '127.0.0.1');
  gmail.requests.length = 0;
  gmail.status = undefined;
});

const PATH = '/operator/provider-views';
const give = (change: object = {}) =>
  domains.service.internal('PUT', `${PATH}/gmail`, { ...GmailDouble.credentials, ...change }, 'oncall');

async function viewsOf(domain: string): Promise<DomainDoctor['views']> {
  const path = `/internal/accounts/${domains.service.accountId}/domains/${domain}/doctor`;
  const { status, body } = await domains.service.internal('POST', path, {});
  expect(status).toBe(200);
  return DomainDoctor.parse(body).views;
}

const DAYS = [
  { year: 2026, month: 11, day: 25 },
  { year: 2026, month: 11, day: 24 },
];
const stat = (metric: string, value: object, nth = 0) => ({ name: 'x', metric, value, date: DAYS[nth] });

it('credentials are tried, kept encrypted, and never shown', async () => {
  const refused = await give({ refresh_token: 'another' });
  expect([refused.status, refused.body.message]).toEqual([
    400,
    'the credentials cannot be used: credentials_refused: status 400',
  ]);
  expect((await domains.service.internal('GET', PATH)).body).toEqual({ data: [] });
  const given = await give();
  expect([given.status, given.body.data]).toEqual([
    200,
    [
      {
        provider: 'gmail',
        client_id: 'our-client',
        given_by: 'operator oncall',
        given_at: expect.any(String),
      },
    ],
  ]);
  const rows = JSON.stringify(await domains.sql('select * from provider_credentials'));
  expect(rows).not.toMatch(/our-secret|our-refresh-token/);
});

it('the newest figure of each kind is in the doctor of a domain that may send, with its day and age', async () => {
  await give();
  await domains.valid('seen.test');
  gmail.stats.set('seen.test', {
    domainStats: [
      stat('spam_rate', { doubleValue: 0.004 }, 1),
      stat('spam_rate', { doubleValue: 0.0012 }),
      stat('dkim_rate', { floatValue: 0.75 }),
      // nothing of this can be a share
      stat('tls_rate', { doubleValue: 71 }),
      stat('their_new_metric', { doubleValue: 0.5 }),
      stat('spf_rate', { intValue: '3' }),
    ],
  });
  const expected = [
    {
      ...{ provider: 'gmail', source: 'Gmail Postmaster Tools', read_at: expect.any(String), trouble: null },
      figures: [
        { figure: 'spam_rate', value: 0.0012, day: '2026-11-25' },
        { figure: 'dkim_rate', value: 0.75, day: '2026-11-25' },
      ],
    },
  ];
  expect(await viewsOf('seen.test')).toEqual(expected);
  const asked = gmail.requests.length;
  expect(await viewsOf('seen.test')).toEqual(expected);
  expect(gmail.requests.length).toBe(asked);
  expect(gmail.requests).toContain('POST /v2/domains/seen.test/domainStats:query');
});

it('a domain that may not send shows no figures of the one who owns it', async () => {
  await give();
  gmail.stats.set('claimed.test', { domainStats: [stat('spam_rate', { doubleValue: 0.1 })] });
  await domains.create({ domain: 'claimed.test' });
  expect(await viewsOf('claimed.test')).toEqual([]);
  expect(gmail.requests.filter((path) => path.includes('claimed.test'))).toEqual([]);
});

it.each([
  ['denied.test', undefined, 'domain_missing'],
  ['limited.test', 429, 'rate_limited'],
  ['away.test', 503, 'unreachable'],
  ['odd.test', 302, 'unexpected'],
  ['ended.test', 401, 'credentials_refused'],
])('%s, status %s: %s', async (domain, status, trouble) => {
  await give();
  await domains.valid(domain);
  gmail.status = status;
  expect(await viewsOf(domain)).toMatchObject([{ trouble, figures: [] }]);
});

it('an answer of another form is trouble, and none without credentials', async () => {
  await give();
  await domains.valid('form.test');
  gmail.stats.set('form.test', { domainStats: 'none' });
  expect(await viewsOf('form.test')).toMatchObject([{ trouble: 'unexpected' }]);
  expect((await domains.service.internal('DELETE', `${PATH}/gmail`)).body).toEqual({ data: [] });
  expect(await viewsOf('form.test')).toEqual([]);
  expect((await domains.service.internal('DELETE', `${PATH}/gmail`)).status).toBe(404);
});

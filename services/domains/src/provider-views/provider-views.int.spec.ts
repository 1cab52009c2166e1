import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { DomainDoctor } from '@postmesh/domains-contract';
import { domainsUnderTest } from '../testing/domains-under-test.js';
import { GmailDouble } from '../testing/gmail-double.js';
import { SndsDouble } from '../testing/snds-double.js';

/** of documentation, and public for the doctor */
const OURS = ['11.22.33.44', '11.22.33.45', '11.22.33.46'];
const folder = mkdtempSync(join(tmpdir(), 'postmesh-views-'));
let gmail: GmailDouble;
let snds: SndsDouble;
const domains = domainsUnderTest(async () => {
  gmail = await GmailDouble.start();
  snds = await SndsDouble.start();
  const extraCaFile = join(folder, 'ca.pem');
  writeFileSync(extraCaFile, gmail.ca + snds.ca);
  return {
    extraCaFile,
    outgoingHttpAllow: ['127.0.0.1/32'],
    gmailPostmasterApi: gmail.api,
    sndsApi: snds.api,
    localInternet: false,
    sendingAddresses: OURS,
    addressLists: [],
  };
});
afterAll(async () => {
  expect([gmail.faults, snds.faults]).toEqual([[], []]);
  await snds.close();
  await gmail.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  domains.dns.set('A', 'gmail.double.test', '127.0.0.1');
  domains.dns.set('A', 'snds.double.test', '127.0.0.1');
  gmail.requests.length = 0;
  snds.requests.length = 0;
  snds.answer = { status: 200, text: '' };
  gmail.status = undefined;
});

const PATH = '/operator/provider-views';
const give = (change: object = {}) =>
  domains.service.internal('PUT', `${PATH}/gmail`, { ...GmailDouble.credentials, ...change }, 'oncall');

const viewsOf = async (domain: string) => (await doctorOf(domain)).views;

async function doctorOf(domain: string, facts: object = {}): Promise<DomainDoctor> {
  const path = `/internal/accounts/${domains.service.accountId}/domains/${domain}/doctor`;
  const { status, body } = await domains.service.internal('POST', path, facts);
  expect(status).toBe(200);
  return DomainDoctor.parse(body);
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

let nth = 0;
const giveSnds = (key = SndsDouble.key) => domains.service.internal('PUT', `${PATH}/snds`, { key }, 'oncall');
const sndsOf = async (domain: string) => (await doctorOf(domain)).address_views;
/** The documented columns; the last ones are words of clients. */
const line = (address: string, result: string, { rate = '< 0.1%', traps = 0, day = '11/26/2026' } = {}) =>
  [
    ...[address, '11/25/2026 12:00 AM', `${day} 12:00 AM`, 1895, 1894, 1893, result, rate],
    ...['11/25/2026 1:00 AM', '11/25/2026 1:00 AM', traps, 'mta.shop.test', 'b@shop.test', 'one, two'],
  ].join(',');

it('Microsoft SNDS: the key is tried, kept encrypted, and never shown', async () => {
  const refused = await giveSnds('another');
  expect([refused.status, refused.body.message]).toEqual([
    400,
    'the credentials cannot be used: credentials_refused: status 400',
  ]);
  expect((await giveSnds()).body.data).toContainEqual({
    provider: 'snds',
    client_id: '',
    given_by: 'operator oncall',
    given_at: expect.any(String),
  });
  expect(JSON.stringify(await domains.sql('select * from provider_credentials'))).not.toContain(
    SndsDouble.key,
  );
  expect((await domains.service.internal('DELETE', `${PATH}/snds`)).status).toBe(200);
});

it('Microsoft SNDS: the newest figures of our addresses are in the doctor of a domain that may send', async () => {
  await giveSnds();
  await domains.valid('addresses.test');
  await domains.create({ domain: 'claimed-addresses.test' });
  snds.answer.text = [
    line(OURS[0]!, 'YELLOW', { day: '11/25/2026' }),
    line(OURS[0]!, 'GREEN'),
    line(OURS[1]!, 'RED', { rate: '1.2%', traps: 7 }),
    line('198.51.100.9', 'GREEN'),
    '',
  ].join('\r\n');
  const expected = [
    {
      ...{ provider: 'outlook', source: 'Microsoft SNDS', read_at: expect.any(String), trouble: null },
      addresses: [
        {
          ...{ address: OURS[0], filter_result: 'green', complaint_rate: '< 0.1%' },
          ...{ trap_hits: 0, messages: 1893, day: '2026-11-26' },
        },
        {
          ...{ address: OURS[1], filter_result: 'red', complaint_rate: '1.2%' },
          ...{ trap_hits: 7, messages: 1893, day: '2026-11-26' },
        },
      ],
    },
  ];
  expect(await sndsOf('addresses.test')).toEqual(expected);
  const asked = snds.requests.length;
  expect(await sndsOf('addresses.test')).toEqual(expected);
  expect(snds.requests.length).toBe(asked);
  expect(await sndsOf('claimed-addresses.test')).toEqual([]);
});

it.each([
  [429, '', 'rate_limited'],
  [503, '', 'unreachable'],
  [302, '', 'unexpected'],
  [403, '', 'credentials_refused'],
  [200, '<html>sign in</html>', 'unexpected'],
  [200, line('11.22.33.44', 'BLUE'), 'unexpected'],
  [200, line('11.22.33.44', 'RED', { day: '13/40/2026' }), 'unexpected'],
])('Microsoft SNDS, status %s with %j: %s', async (status, text, trouble) => {
  await giveSnds();
  const domain = `trouble-${(nth += 1)}.test`;
  await domains.valid(domain);
  snds.answer = { status, text };
  expect(await sndsOf(domain)).toMatchObject([{ trouble, addresses: [] }]);
});

it('Yahoo: complaints of its feedback loop, as messages counted them, are in the doctor of a domain that may send', async () => {
  await domains.valid('complained.test');
  await domains.create({ domain: 'claimed-complained.test' });
  const feedback: DomainDoctor['feedback_views'] = [
    {
      ...{ provider: 'yahoo', source: 'Yahoo Complaint Feedback Loop', read_at: '2026-11-26T08:00:00.000Z' },
      ...{ days_shown: 30, delivered: 2_000, complained: 3, share: 0.0015, last_report_day: '2026-11-25' },
      days: [{ day: '2026-11-25', reports: 3 }],
    },
  ];
  expect((await doctorOf('complained.test', { feedback })).feedback_views).toEqual(feedback);
  expect((await doctorOf('complained.test')).feedback_views).toEqual([]);
  expect((await doctorOf('claimed-complained.test', { feedback })).feedback_views).toEqual([]);
});

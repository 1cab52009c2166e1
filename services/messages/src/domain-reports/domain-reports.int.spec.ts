import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DomainId, newId, type EventOf } from '@postmesh/contracts';
import { DomainChanged } from '@postmesh/domains-contract';
import { DomainAlignmentChanged } from '@postmesh/messages-contract';
import {
  deliver,
  memberOf,
  recordEvents,
  startTestService,
  type RecordedEvents,
  type TestService,
} from '@postmesh/service-testing';
import { knotServer, startForeignNameServer, testDatabase, type ForeignNameServer } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from '../testing/domain.js';
import { PruneReports } from './prune-reports.js';
import { gzipOf, mailWith, sample } from './read/samples.js';
import { TakeDomainReport } from './take-domain-report.js';

// proven again: the way from a mail with an attachment to figures, with the real author checks of a real name server
const DAY_MS = 86_400_000;
const WRITER = '192.0.2.7';
const OURS = '198.51.100.10';
const FOREIGN = '203.0.113.9';
/** of a source that an operator made */
const MADE = '203.0.113.77';

interface Row {
  source: string;
  count: number;
  isAligned: boolean;
  dkimDomain?: string;
  headerFrom?: string;
}

/** An aggregate report about a day, in the form of RFC 7489. */
const aggregate = (id: string, daysAgo: number, rows: readonly Row[], domain = 'shop.test'): Buffer => {
  const begin = Math.floor((Date.now() - daysAgo * DAY_MS) / DAY_MS) * (DAY_MS / 1_000);
  const record = ({ source, count, isAligned, dkimDomain, headerFrom = domain }: Row) =>
    `<record><row><source_ip>${source}</source_ip><count>${count}</count><policy_evaluated><disposition>none</disposition>
    <dkim>${isAligned ? 'pass' : 'fail'}</dkim><spf>fail</spf></policy_evaluated></row>
    <identifiers><header_from>${headerFrom}</header_from></identifiers><auth_results>
    ${dkimDomain === undefined ? '' : `<dkim><domain>${dkimDomain}</domain><result>pass</result></dkim>`}</auth_results></record>`;
  return Buffer.from(`<feedback><report_metadata><org_name>google.com</org_name><report_id>${id}</report_id>
    <date_range><begin>${begin}</begin><end>${begin + 86_399}</end></date_range></report_metadata>
    <policy_published><domain>${domain}</domain><p>none</p></policy_published>${rows.map(record).join('')}</feedback>`);
};

const program = knotServer();
describe.skipIf(program === undefined)('reports of receivers about a domain', () => {
  const database = testDatabase();
  let server: ForeignNameServer;
  let messages: TestService;
  let changes: RecordedEvents<EventOf<typeof DomainAlignmentChanged>>;
  const domains = new Map<string, string>();

  beforeAll(async () => {
    server = await startForeignNameServer(program ?? '', {
      zones: {
        'mail.test': `@ TXT "v=spf1 ip4:${WRITER} -all"\n_dmarc TXT "v=DMARC1; p=reject"`,
        'google.com': `@ TXT "v=spf1 ip4:${WRITER} -all"\n_dmarc TXT "v=DMARC1; p=reject"`,
        'other.test': '@ TXT "none"',
        'small.test': `@ TXT "v=spf1 ip4:${WRITER} -all"`,
        'shop.test': `@ TXT "v=spf1 ip4:${OURS} -all"`,
      },
    });
    messages = await startTestService(MESSAGES_SERVICE, {
      databaseUrl: database.url,
      settings: { dnsServers: [server.address], sendingAddresses: ['198.51.100.0/28'] },
      neighbours: {
        'delivery-worker': () => ({ status: 200, body: { addresses: [MADE], only_relays: false } }),
        domains: ({ path }) => {
          const last = decodeURIComponent(path.split('/').at(-1) ?? '');
          const [id, domain] = [...domains].find((pair) => pair.includes(last)) ?? [];
          if (id === undefined) return { status: 404, body: { message: 'domain not found' } };
          return { status: 200, body: { ...DOMAIN, domain, domain_id: id, account_id: messages.accountId } };
        },
      },
    });
    changes = await recordEvents(messages.bus, {
      streams: ['messages'],
      pick: (event) =>
        event.type === DomainAlignmentChanged.type ? DomainAlignmentChanged.parse(event as never) : undefined,
    });
  });
  afterAll(async () => {
    await messages?.stop();
    await server?.stop();
  });

  /** each test has its own: facts of a domain are cached for half a second */
  const newDomain = (domain: string): string => {
    const id = newId();
    domains.set(id, domain);
    return id;
  };
  const hand = (id: string, raw: Buffer, { sender = 'noreply@mail.test', ip = WRITER } = {}) =>
    messages.service.get(TakeDomainReport).execute({
      recipients: [{ address: 'reports@rp.svc.test', domain_report: true, domain_id: DomainId.parse(id) }],
      envelope: {
        sender,
        session: { id: newId(), client_ip: ip, helo: sender.split('@')[1] ?? '', tls: null } as never,
      },
      raw,
      receivedAt: new Date(),
    });
  const gzipped = (xml: Buffer, from?: string) =>
    mailWith(gzipOf(xml), 'application/gzip', from === undefined ? {} : { from });
  const ask = async (domain: string, account = messages.accountId) =>
    messages.call('GET', `/console/api/domains/${domain}/reports`, {
      principal: memberOf(account, 'Analyst'),
    });
  const sql = (text: string, parameters: unknown[] = []) =>
    messages.service.get(DataSource).query(text, parameters);
  const MIXED: Row[] = [
    { source: OURS, count: 88, isAligned: true, dkimDomain: 'shop.test' },
    { source: FOREIGN, count: 12, isAligned: false },
  ];

  it('become one sentence and one fix per provider, with the sources and the days', async () => {
    const id = newDomain('shop.test');
    await hand(id, gzipped(aggregate('one', 1, MIXED)));
    const { status, body } = await ask('shop.test');
    expect(status).toBe(200);
    expect(body.findings).toMatchObject([
      {
        provider: 'mail.test',
        code: 'not_in_spf',
        source: FOREIGN,
        message_count: 100,
        failed_count: 12,
        own_count: 88,
        sentence: `12 % of mail at mail.test fails alignment: it comes from ${FOREIGN}, which is not one of ours and not in your SPF.`,
        fix: expect.stringContaining(`add it to the SPF record of shop.test`),
      },
    ]);
    expect(body.sources).toMatchObject([
      { source: FOREIGN, is_own: false, in_spf: false, message_count: 12, failed_count: 12 },
      { source: OURS, is_own: true, message_count: 88, failed_count: 0, dkim_aligned_count: 88 },
    ]);
    expect(body.by_day).toMatchObject([{ message_count: 100, failed_count: 12 }]);
    expect(body.reports).toMatchObject([
      { kind: 'dmarc', report_id: 'one', message_count: 100, skipped_count: 0 },
    ]);
    expect(body.last_report_at).toBe(body.reports[0].received_at);
  });

  it('of a source that an operator made are about our mail', async () => {
    const id = newDomain('made.test');
    const rows = [{ source: MADE, count: 5, isAligned: false }];
    await hand(id, gzipped(aggregate('made', 1, rows, 'made.test')));
    const { body } = await ask('made.test');
    expect(body.findings).toMatchObject([{ code: 'own_unsigned', source: MADE, own_count: 5 }]);
    expect(body.sources).toMatchObject([{ source: MADE, is_own: true }]);
    expect(await sql(`select is_own from reported_sources where source = $1`, [MADE])).toEqual([
      { is_own: true },
    ]);
  });

  it('count once, however often and at how many times at once they come', async () => {
    const id = newDomain('again.test');
    const raw = gzipped(aggregate('again', 1, MIXED, 'again.test'));
    await Promise.all([hand(id, raw), hand(id, raw), hand(id, raw)]);
    await hand(id, raw);
    await hand(id, gzipped(aggregate('another', 1, MIXED, 'again.test')));
    const { body } = await ask('again.test');
    expect([body.reports.length, body.findings[0].message_count]).toEqual([2, 200]);
  });

  it('are of their domain alone, and of those below it', async () => {
    const id = newDomain('mixed.test');
    const rows = ['mixed.test', 'news.mixed.test', 'evilmixed.test', 'mail.test'].map((headerFrom) => ({
      ...{ source: OURS, count: 1, isAligned: true, headerFrom },
    }));
    await hand(id, gzipped(aggregate('mixed', 1, rows, 'mixed.test')));
    expect((await ask('mixed.test')).body.alignment.message_count).toBe(2);
    expect((await ask('unknown.test')).status).toBe(404);
  });

  it('are taken of a proved author alone', async () => {
    const id = newDomain('proof.test');
    const raw = gzipped(aggregate('forged', 1, MIXED, 'proof.test'));
    await hand(id, raw, { ip: '192.0.2.99' });
    await hand(id, raw, { sender: 'x@small.test' });
    await hand(id, gzipped(aggregate('unproved', 1, MIXED, 'proof.test'), 'a@other.test'), {
      sender: 'x@small.test',
    });
    expect((await ask('proof.test')).body.reports).toEqual([]);
    await hand(id, gzipped(aggregate('small', 1, MIXED, 'proof.test'), 'a@small.test'), {
      sender: 'x@small.test',
    });
    expect((await ask('proof.test')).body.reports).toMatchObject([
      { provider_name: 'small.test', organisation: 'google.com' },
    ]);
    await hand(newId(), raw);
    await hand(id, mailWith(Buffer.from('<feedback>'), 'text/xml'));
    await hand(id, gzipped(aggregate('old', 70, MIXED, 'proof.test')));
    expect((await ask('proof.test')).body.reports).toHaveLength(1);
  });

  it('say when alignment falls, and when it is as before', async () => {
    const id = newDomain('falls.test');
    const day = (daysAgo: number, bad: number) =>
      hand(
        id,
        gzipped(
          aggregate(
            `day-${daysAgo}`,
            daysAgo,
            [
              { source: OURS, count: 100 - bad, isAligned: true },
              { source: FOREIGN, count: bad, isAligned: false },
            ],
            'falls.test',
          ),
        ),
      );
    for (const daysAgo of [9, 8, 7, 6]) await day(daysAgo, 1);
    await day(5, 30);
    await day(4, 30);
    const falls = async () =>
      (
        await messages.call('GET', '/console/api/alignment-falls', {
          principal: memberOf(messages.accountId, 'Analyst'),
        })
      ).body.data.filter(({ domain_id }: { domain_id: string }) => domain_id === id);
    expect(await falls()).toMatchObject([
      { domain_id: id, share: expect.closeTo(0.7, 2), usual_share: expect.closeTo(0.99, 2) },
    ]);
    expect((await ask('falls.test')).body.alignment).toMatchObject({ fell_at: expect.any(String) });
    // mail from our own addresses is as before: that concerns no operator
    expect(
      await sql(`select fell_at from domain_alignments where domain_id = $1 and scope = 'own'`, [id]),
    ).toEqual([{ fell_at: null }]);
    await day(3, 1);
    await day(2, 1);
    expect(await falls()).toEqual([]);
    await expect
      .poll(() => changes.events.filter(({ data }) => data.domain_id === id).map(({ data }) => data.change))
      .toEqual(['fallen', 'recovered']);
    expect(changes.events.at(-1)).toMatchObject({
      account_id: messages.accountId,
      data: { domain: 'falls.test' },
    });
  });

  it('of known providers count before those of others, and alone for operators', async () => {
    const id = newDomain('known.test');
    const good = [{ source: OURS, count: 100, isAligned: true }];
    const bad = [{ source: OURS, count: 100, isAligned: false }];
    const own = () =>
      sql(`select fell_at is not null as fallen from domain_alignments where domain_id = $1 order by scope`, [
        id,
      ]);
    await hand(id, gzipped(aggregate('a', 1, bad, 'known.test')));
    expect(await own()).toEqual([{ fallen: true }, { fallen: false }]);
    const byGoogle = { sender: 'noreply@google.com' };
    await hand(id, gzipped(aggregate('b', 2, good, 'known.test'), 'noreply@google.com'), byGoogle);
    expect(await own()).toEqual([{ fallen: false }, { fallen: false }]);
    await hand(id, gzipped(aggregate('c', 1, bad, 'known.test'), 'noreply@google.com'), byGoogle);
    expect(await own()).toEqual([{ fallen: true }, { fallen: true }]);
    const { findings } = (await ask('known.test')).body;
    expect(findings.map(({ provider }: { provider: string }) => provider)).toEqual(['google', 'mail.test']);
    expect(findings[0]).toMatchObject({
      code: 'own_unsigned',
      sentence: expect.stringContaining('50 % of mail at Google'),
    });
    await deliver(messages.service, [
      DomainChanged.make(
        {
          ...DOMAIN,
          sending_type: 'transactional',
          domain: 'known.test',
          domain_id: id,
          account_id: messages.accountId,
          deleted: true,
        },
        { account_id: messages.accountId },
      ),
    ]);
    expect(await own()).toEqual([]);
  });

  it('about TLS become results by provider and kind of failure', async () => {
    const id = newDomain('company-y.example');
    const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
    const json = Buffer.from(
      sample('rfc8460-appendix-b.json').toString().replaceAll('2016-04-01', yesterday),
    );
    await hand(id, mailWith(gzipOf(json), 'application/tlsrpt+gzip'));
    await hand(id, mailWith(gzipOf(json), 'application/tlsrpt+gzip'));
    const { body } = await ask('company-y.example');
    expect(
      body.tls.map(({ result_type, session_count }: Record<string, unknown>) => [result_type, session_count]),
    ).toEqual([
      ['starttls-not-supported', 200],
      ['certificate-expired', 100],
      ['validation-failure', 3],
      [null, 5326],
    ]);
  });

  it('about TLS without a domain are of the domain that they came to', async () => {
    const id = newDomain('hobby-reader.test');
    const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
    const json = sample('receivers/tls-no-domain.json').toString().replaceAll('2026-01-01', yesterday);
    await hand(id, mailWith(gzipOf(Buffer.from(json)), 'application/tlsrpt+gzip'));
    expect((await ask('hobby-reader.test')).body.tls).toMatchObject([
      { policy_type: 'no-policy-found', result_type: null, session_count: 1 },
    ]);
  });

  it('about one message are kept without its content', async () => {
    const id = newDomain('consumer.example');
    const raw = Buffer.from(
      sample('rfc9991-form.eml').toString().replace('DMARC-Filter@gen.example', 'a@mail.test'),
    );
    await hand(id, raw);
    await hand(id, raw);
    await hand(
      id,
      Buffer.from(raw.toString().replace('Reported-Domain: consumer', 'Reported-Domain: other')),
    );
    expect((await ask('consumer.example')).body.failures).toMatchObject([
      { source: '192.0.2.2', failure: 'dmarc', alignment: 'dkim', incident_count: 4, message_id: null },
    ]);
  });

  it('end with their time, and with their account', async () => {
    const prune = () => messages.service.get(PruneReports).prune(new AbortController().signal);
    const id = newDomain('ends.test');
    await hand(id, gzipped(aggregate('kept', 1, MIXED, 'ends.test')));
    const counts = async () => {
      const tables = ['domain_reports', 'reported_sources', 'domain_alignments'];
      const rows = tables.map((table) =>
        sql(`select count(*)::int as count from ${table} where domain_id = $1`, [id]),
      );
      return (await Promise.all(rows)).map(([row]) => row.count);
    };
    await prune();
    expect(await counts()).toEqual([1, 2, 2]);
    await sql(
      `update reported_sources set updated_at = now() - interval '121 days' where domain_id = $1 and source = $2`,
      [id, OURS],
    );
    await prune();
    expect(await counts()).toEqual([1, 1, 2]);
    await sql('insert into deleted_accounts (account_id) values ($1)', [messages.accountId]);
    await prune();
    expect(await counts()).toEqual([0, 0, 0]);
    await hand(id, gzipped(aggregate('late', 1, MIXED, 'ends.test')));
    expect(await counts()).toEqual([0, 0, 0]);
  });
});

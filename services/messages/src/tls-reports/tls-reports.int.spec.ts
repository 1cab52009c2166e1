import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SYSTEM_ACCOUNT_ID } from '@postmesh/contracts';
import type { TlsDomainSessions } from '@postmesh/delivery-worker-contract';
import { rawBytes, isRaw, readRequestContent } from '@postmesh/message-content';
import { issueCertificate } from '@postmesh/secrets';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { knotServer, startForeignNameServer, testDatabase, type ForeignNameServer } from '@postmesh/testing';
import { readDomainReport } from '../domain-reports/read/read-domain-report.js';
import { readTls } from '../domain-reports/read/read-tls.js';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from '../testing/domain.js';
import { CollectTlsSessions } from './collect-tls-sessions.js';
import { SendTlsReports } from './send-tls-reports.js';

// proven again: from the counts of a day to a report that our own reader parses, by real DNS and HTTPS
const DAY_MS = 86_400_000;
const YESTERDAY = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);

const sessionsOf = (policy_domain: string): TlsDomainSessions => ({
  policy_domain,
  policies: [
    {
      type: 'sts',
      text: ['version: STSv1', 'mode: enforce', 'mx: *.mail.test'],
      succeeded: 41,
      failed: 3,
      failures: [
        { result: 'certificate-host-mismatch', mx_host: 'mx1.mail.test', sessions: 2 },
        { result: 'sts-policy-fetch-error', mx_host: '', sessions: 1 },
      ],
    },
    { type: 'no-policy-found', text: [], succeeded: 7, failed: 0, failures: [] },
  ],
});
/** The same as a reader of reports has it. */
const reported = (domain: string) => ({
  kind: 'tls',
  organisation: 'svc.test',
  beginsAt: new Date(`${YESTERDAY}T00:00:00Z`),
  endsAt: new Date(`${YESTERDAY}T23:59:59Z`),
  policies: [
    {
      ...{ policyType: 'sts', policyDomain: domain, succeeded: 41, failed: 3 },
      failures: [
        { resultType: 'certificate-host-mismatch', mxHost: 'mx1.mail.test', sessions: 2 },
        { resultType: 'sts-policy-fetch-error', mxHost: '', sessions: 1 },
      ],
    },
    { policyType: 'no-policy-found', policyDomain: domain, succeeded: 7, failed: 0, failures: [] },
  ],
});

const program = knotServer();
describe.skipIf(program === undefined)('reports about the TLS of our sessions', () => {
  const database = testDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'postmesh-tls-reports-'));
  let dns: ForeignNameServer;
  let web: Server;
  let messages: TestService;
  let counted: TlsDomainSessions[];
  let pages: string[];
  let status: number;
  let posts: { path: string; type: string | undefined; body: Buffer }[];

  beforeAll(async () => {
    const ca = { name: 'CA', ...issueCertificate({ names: ['CA'], isAuthority: true }) };
    writeFileSync(join(folder, 'ca.pem'), ca.cert);
    web = createServer(
      issueCertificate({ names: ['reports.mail.test'], issuer: ca }),
      async (request, response) => {
        posts.push({
          path: `${request.method} ${request.url}`,
          type: request.headers['content-type'],
          body: await buffer(request),
        });
        response.writeHead(status).end();
      },
    );
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const { port } = web.address() as AddressInfo;
    dns = await startForeignNameServer(program ?? '', {
      zones: {
        'mail.test': [
          'reports A 127.0.0.1',
          '_smtp._tls.mailed TXT "v=TLSRPTv1; rua=mailto:tls@mail.test"',
          `_smtp._tls.posted TXT "v=TLSRPTv1; rua=https://reports.mail.test:${port}/tls"`,
          `_smtp._tls.both TXT "v=TLSRPTv1; rua=mailto:tls@mail.test,https://reports.mail.test:${port}/tls"`,
          '_smtp._tls.unsure TXT "v=TLSRPTv1; rua=mailto:a@b.test"',
          '_smtp._tls.unsure TXT "v=TLSRPTv1; rua=mailto:c@b.test"',
        ].join('\n'),
      },
    });
    messages = await start({ tlsReports: true });
  });
  afterAll(async () => {
    await messages?.stop();
    await dns?.stop();
    web?.closeAllConnections();
    web?.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    [counted, pages, posts, status] = [[], [], [], 204];
    await query('truncate tls_report_days, tls_report_sends, send_requests, messages');
  });

  const start = (settings: object) =>
    startTestService(MESSAGES_SERVICE, {
      databaseUrl: database.url,
      settings: {
        serviceZone: 'svc.test',
        logLevel: 'silent',
        dnsServers: [dns.address],
        outgoingHttpAllow: ['127.0.0.1/32'],
        extraCaFile: join(folder, 'ca.pem'),
        ...settings,
      },
      neighbours: {
        domains: () => ({
          status: 200,
          body: { ...DOMAIN, domain: 'svc.test', account_id: SYSTEM_ACCOUNT_ID, return_path_host: null },
        }),
        'delivery-worker': ({ path }) => {
          const asked = new URL(path, 'http://worker').searchParams;
          const after = asked.get('after') ?? '';
          pages.push(`${asked.get('day')} ${after}`);
          const later = counted.filter(({ policy_domain }) => policy_domain > after);
          return {
            status: 200,
            body: { domains: asked.get('day') === YESTERDAY ? later.slice(0, 100) : [] },
          };
        },
      },
    });
  const query = (sql: string, parameters: unknown[] = []) =>
    messages.service.get(DataSource).query(sql, parameters) as Promise<Record<string, unknown>[]>;
  const collect = (by = messages) => by.service.get(CollectTlsSessions).collect(new AbortController().signal);
  /** all that waits is due */
  const send = async () => {
    await query(
      `update tls_report_sends set next_try_at = now() - interval '1 second' where ended_at is null`,
    );
    await messages.service.get(SendTlsReports).sendDue(new AbortController().signal);
  };
  const ends = () =>
    query(
      `select policy_domain as domain, destination ~ '^https' as posts, result from tls_report_sends
       where destination <> '' order by policy_domain, destination`,
    );
  const count = (...names: string[]) => {
    counted = names.map((name) => sessionsOf(`${name}.mail.test`));
    return collect();
  };
  async function mails(): Promise<{ to: unknown; raw: Buffer }[]> {
    const rows = await query(
      `select m.recipient, s.content_id, s.account_id, s.domain from send_requests s join messages m
         on m.send_request_id = s.id order by m.created_at`,
    );
    const contents = await messages.context.blobs.get(rows.map((row) => row['content_id'] as string));
    return rows.map((row) => {
      expect(row).toMatchObject({ account_id: SYSTEM_ACCOUNT_ID, domain: 'svc.test' });
      const content = readRequestContent(contents.get(row['content_id'] as string)!);
      return { to: row['recipient'], raw: isRaw(content) ? rawBytes(content) : Buffer.alloc(0) };
    });
  }

  it('go by mail, once, in a form that our own reader takes', async () => {
    await count('mailed');
    await send();
    await Promise.all([send(), send(), send()]);
    await collect();
    await send();
    const [mail, ...more] = await mails();
    expect([mail?.to, more]).toEqual(['tls@mail.test', []]);
    const text = mail?.raw.toString() ?? '';
    expect(text).toMatch(/^TLS-Report-Domain: mailed\.mail\.test\r$/m);
    expect(text).toMatch(/^TLS-Report-Submitter: svc\.test\r$/m);
    expect(text).toMatch(/^Content-Type: multipart\/report; report-type=tlsrpt;\r$/m);
    expect(text).toMatch(/^Content-Type: application\/tlsrpt\+gzip\r$/m);
    expect(text).toMatch(/filename="svc\.test!mailed\.mail\.test!\d+!\d+![0-9a-f-]{36}\.json\.gz"/);
    expect(await readDomainReport(mail?.raw ?? Buffer.alloc(0))).toMatchObject(reported('mailed.mail.test'));
  });

  it('go by HTTPS, again until they are taken, with the same id', async () => {
    await count('posted');
    status = 503;
    await send();
    await send();
    status = 201;
    await send();
    await send();
    expect(posts.map(({ path, type }) => [path, type])).toEqual(
      Array(2).fill(['POST /tls', 'application/tlsrpt+gzip']),
    );
    const read = posts.map(({ body }) => readTls(gunzipSync(body)));
    expect(read[0]).toMatchObject(reported('posted.mail.test'));
    expect(read[1]).toEqual(read[0]);
    expect(await ends()).toEqual([{ domain: 'posted.mail.test', posts: true, result: 'posted' }]);
    expect(await mails()).toEqual([]);
  });

  it('go to each address of a domain, and to none without one right record', async () => {
    await count('both', 'silent', 'unsure');
    await send();
    await send();
    expect(await ends()).toEqual([
      { domain: 'both.mail.test', posts: true, result: 'posted' },
      { domain: 'both.mail.test', posts: false, result: 'mailed' },
    ]);
    expect(posts).toHaveLength(1);
    expect(await mails()).toHaveLength(1);
  });

  it('are mailed once when the acceptance fails midway', async () => {
    await count('mailed');
    await send();
    await query(`alter table messages add constraint no_reports check (recipient <> 'tls@mail.test')`);
    await send();
    expect(await mails()).toEqual([]);
    expect(await ends()).toMatchObject([{ result: null }]);
    await query('alter table messages drop constraint no_reports');
    await send();
    await send();
    expect(await mails()).toHaveLength(1);
  });

  it('wait while DNS gives no answer, and end three days after', async () => {
    await query(
      `insert into tls_report_sends (day, policy_domain, destination, sessions) values
       (current_date - 1, 'away.example', '', '{}'), (current_date - 5, 'gone.example', '', '{}')`,
    );
    // the server of the test refuses questions about names that are not its own
    await send();
    expect(await query('select policy_domain, result from tls_report_sends order by 1')).toEqual([
      { policy_domain: 'away.example', result: null },
      { policy_domain: 'gone.example', result: 'too-late' },
    ]);
  });

  it('are collected page by page, each day once', async () => {
    await count(...Array.from({ length: 150 }, (_, nth) => `d${String(nth).padStart(3, '0')}`));
    await collect();
    expect(pages.filter((page) => page.startsWith(YESTERDAY))).toEqual([
      `${YESTERDAY} `,
      `${YESTERDAY} d099.mail.test`,
    ]);
    expect(await query('select count(*)::int as count from tls_report_sends')).toEqual([{ count: 150 }]);
  });

  it('are off unless the operator wants them', async () => {
    const other = await start({});
    counted = [sessionsOf('mailed.mail.test')];
    await collect(other);
    expect(pages).toEqual([]);
    expect(await query('select from tls_report_sends')).toEqual([]);
    await count('mailed');
    await query(`update tls_report_sends set next_try_at = now() - interval '1 second'`);
    await other.service.get(SendTlsReports).sendDue(new AbortController().signal);
    await other.stop();
    expect(await query('select tries from tls_report_sends')).toEqual([{ tries: 0 }]);
  });
});

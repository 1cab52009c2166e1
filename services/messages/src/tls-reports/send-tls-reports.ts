import { Resolver } from 'node:dns/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { backoffMs, eachBounded, inBatches } from '@postmesh/concurrency';
import { failureKind } from '@postmesh/contracts';
import type { TlsDomainSessions } from '@postmesh/delivery-worker-contract';
import { insertRows } from '@postmesh/database';
import { OutgoingHttp, readExtraCa } from '@postmesh/http';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { Periodic } from '@postmesh/work';
import { SendRequestStore } from '../accept/send-request-store.js';
import { SystemDomain } from '../system-mail/system-domain.js';
import { readSystemSender } from '../system-mail/system-mail.rules.js';
import { mailboxOf, packed, readDestinations, reportOf, toReportRequest, urlOf } from './tls-report.rules.js';

const BATCH = 50;
const AT_ONCE = 10;
const MAX_BATCHES = 200;
/** Longer than one report takes: another process takes its row no earlier. */
const LEASE_S = 120;
const QUERY_MS = 3_000;
const POST_MS = 30_000;
const MAX_ANSWER_BYTES = 4_096;
/** RFC 8460 §5.4: a report that cannot be delivered is tried again for a day. */
const RETRY = { firstMs: 600_000, maxMs: 4 * 3_600_000, spread: 0.2 };

interface Due {
  day: string;
  policy_domain: string;
  /** empty: it is not looked up yet */
  destination: string;
  sessions: TlsDomainSessions;
  tries: number;
}

type End = 'mailed' | 'posted' | 'looked-up' | 'unwanted' | 'too-late';

const COLUMNS = {
  day: 'date',
  policy_domain: ['text', ({ policy_domain }: Due) => policy_domain],
  destination: 'text',
  sessions: 'jsonb',
} as const;

/** Sends reports about TLS to the addresses that domains publish (decision 172). */
@Injectable()
export class SendTlsReports implements OnModuleDestroy {
  private readonly isOn: boolean;
  private readonly sender;
  private readonly http: OutgoingHttp;
  private readonly resolver = new Resolver({ timeout: QUERY_MS, tries: 2 });
  private readonly ended;

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: SendRequestStore,
    private readonly domain: SystemDomain,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    const { dnsServers, outgoingHttpAllow, extraCaFile, tlsReports } = settings;
    this.isOn = tlsReports;
    this.sender = readSystemSender(settings.systemSender, settings.serviceZone);
    this.http = new OutgoingHttp({
      allow: outgoingHttpAllow,
      dnsServers,
      connectionsPerOrigin: 1,
      ca: readExtraCa(extraCaFile),
    });
    if (dnsServers.length > 0) this.resolver.setServers(dnsServers);
    this.ended = metrics.counter(
      'postmesh_tls_reports_total',
      'Reports about the TLS of our sessions, by what became of them',
      ['result'],
    );
  }

  onModuleDestroy(): Promise<void> {
    this.resolver.cancel();
    return this.http.close();
  }

  @Periodic({ name: 'send-tls-reports', everyMs: 300_000, timeoutMs: 300_000 })
  async sendDue(signal: AbortSignal): Promise<void> {
    if (!this.isOn) return;
    const step = async () => {
      const [due]: [Due[], number] = await this.dataSource.query(CLAIM, [LEASE_S]);
      await eachBounded(due, AT_ONCE, (one) => this.sendOrPutOff(one));
      return due.length;
    };
    await inBatches(step, { size: BATCH, max: MAX_BATCHES, signal });
  }

  private async sendOrPutOff(due: Due): Promise<void> {
    try {
      const end = await this.send(due);
      if (end !== undefined) return void this.ended.inc({ result: end });
    } catch (error) {
      const level = failureKind(error) === 'transient' ? 'info' : 'error';
      const { day, policy_domain: domain } = due;
      this.logger[level]({ event: 'tls_report.failed', err: error, domain, day }, 'a report about TLS waits');
    }
    const waitS = backoffMs(due.tries, RETRY) / 1_000;
    const put: [{ is_over: boolean }[], number] = await this.dataSource.query(PUT_OFF, [
      ...keyOf(due),
      waitS,
    ]);
    if (put[0][0]?.is_over) this.ended.inc({ result: 'too-late' });
  }

  /** @returns undefined when it is to be tried again */
  private async send(due: Due): Promise<End | undefined> {
    const { destination } = due;
    if (destination === '') return this.lookUp(due);
    const to = mailboxOf(destination);
    if (to !== undefined) return this.mail(due, to);
    const url = urlOf(destination);
    return url && this.post(due, url);
  }

  /** One transaction makes the rows of the addresses: a later look-up finds them. */
  private async lookUp(due: Due): Promise<End | undefined> {
    const name = `_smtp._tls.${due.policy_domain}`;
    const records = await this.resolver.resolveTxt(name).catch((error: NodeJS.ErrnoException) => {
      return error.code === 'ENOTFOUND' || error.code === 'ENODATA' ? [] : undefined;
    });
    if (records === undefined) return undefined;
    const destinations = readDestinations(records.map((strings) => strings.join('')));
    const end = destinations.length > 0 ? 'looked-up' : 'unwanted';
    await this.dataSource.transaction(async (tx) => {
      if (!(await ends(tx, due, end))) return;
      const rows = destinations.map((destination) => ({ ...due, destination }));
      await insertRows(tx, 'tls_report_sends', COLUMNS, rows, { onConflict: 'do nothing' });
    });
    return end;
  }

  /** One transaction ends the row and accepts the mail: it is sent once. */
  private async mail(due: Due, to: string): Promise<End> {
    const domain = await this.domain.find();
    const request = toReportRequest(due, { to, sender: this.sender, domain, now: new Date() });
    await this.store.putContents([request]);
    const mine = await this.dataSource.transaction(async (tx) => {
      const isMine = await ends(tx, due, 'mailed');
      if (isMine) await this.store.insert(tx, [request]);
      return isMine;
    });
    if (!mine) await this.store.dropContents([request]);
    return 'mailed';
  }

  /** A kill before its row ends repeats it: the receiver recognises it by its id. */
  private async post(due: Due, url: URL): Promise<End | undefined> {
    const answer = await this.http.post({
      url,
      headers: { 'content-type': 'application/tlsrpt+gzip' },
      body: packed(reportOf(due, this.sender)),
      timeoutMs: POST_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
      keptResponseBytes: 0,
    });
    if (answer.kind === 'failed' || answer.status < 200 || answer.status > 299) {
      const reason = answer.kind === 'failed' ? answer.trouble : `status ${answer.status}`;
      const about = { event: 'tls_report.not_taken', domain: due.policy_domain, host: url.hostname, reason };
      this.logger.info(about, 'a report about TLS was not taken, will retry');
      return undefined;
    }
    await ends(this.dataSource, due, 'posted');
    return 'posted';
  }
}

const keyOf = ({ day, policy_domain, destination }: Due): [string, string, string] => [
  day,
  policy_domain,
  destination,
];

/** @returns false when it has ended before */
async function ends(database: Pick<DataSource, 'query'>, due: Due, result: End): Promise<boolean> {
  const [, rows]: [unknown, number] = await database.query(END, [...keyOf(due), result]);
  return rows > 0;
}

const KEY = 'day = $1 and policy_domain = $2 and destination = $3 and ended_at is null';
const CLAIM = `
  update tls_report_sends set next_try_at = now() + make_interval(secs => $1), tries = tries + 1
  where ctid = any(array(
    select ctid from tls_report_sends where ended_at is null and next_try_at <= now()
    order by next_try_at limit ${BATCH} for update skip locked))
  returning day::text, policy_domain, destination, sessions, tries`;
const END = `update tls_report_sends set ended_at = now(), result = $4, sessions = null where ${KEY}`;
// two days after the end of its day it is worth nothing
const PUT_OFF = `
  update tls_report_sends set next_try_at = now() + make_interval(secs => $4),
    ended_at = case when now() > day + 3 then now() end, result = case when now() > day + 3 then 'too-late' end
  where ${KEY} returning ended_at is not null as is_over`;

import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DomainFacts } from '@postmesh/domains-contract';
import { AccountId, DomainId, Transient } from '@postmesh/contracts';
import { Permits } from '@postmesh/concurrency';
import { InternalClient } from '@postmesh/http';
import type { InboundEnvelope, InboundRecipient } from '@postmesh/messages-contract';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { AuthenticateSender, type SenderProof } from '../inbound/authenticate-sender.js';
import { readHeaderBlock, summaryOf } from '../inbound/inbound-headers.rules.js';
import { OwnAddresses } from '../own-addresses/own-addresses.js';
import { findByHeader } from '../read-message/find-by-header.js';
import type { DomainReport, FailureReport } from './read/domain-report.js';
import { readDomainReport } from './read/read-domain-report.js';
import {
  failureRow,
  isAbout,
  isTimely,
  reportRow,
  sourceRows,
  tlsRows,
  type Arrival,
  type ReportedDomain,
} from './report-rows.rules.js';
import { registrable, reporterOf } from './reporters.table.js';
import { StoreReport, type StoreEffect } from './store-report.js';
import { UnreadableReport } from './unpack/unpack-report.js';

export type DomainReportRecipient = Extract<InboundRecipient, { domain_report: true }>;

export interface ArrivedDomainReport {
  recipients: readonly DomainReportRecipient[];
  envelope: Pick<InboundEnvelope, 'sender' | 'session'>;
  /** as received */
  raw: Buffer;
  receivedAt: Date;
}

type Effect =
  StoreEffect | 'unknown-domain' | 'unproven' | 'no-report' | 'unreadable' | 'untimely' | 'other-domain';

// The largest report takes some 60 MB while it is read. A writer with many delays no other.
const AT_ONCE = 4;
const AT_ONCE_PER_AUTHOR = 1;
/** As for other inbound mail: the remote server waits ten minutes for the reply. */
const MAX_WAIT_MS = 20_000;

/** A transaction addresses one domain, or a few of one writer. */
const MAX_DOMAINS = 10;

/**
 * A report of a receiver about a sending domain (RFC 7489 §7.2, RFC 9990, RFC 9991, RFC 8460). Its author has to be proved:
 * figures decide about alerts, and the address is public. It gets no reply, and mail that is no report has no effect.
 */
@Injectable()
export class TakeDomainReport {
  private readonly taken;
  private readonly reading = new Permits(AT_ONCE_PER_AUTHOR, AT_ONCE);

  constructor(
    private readonly dataSource: DataSource,
    private readonly client: InternalClient,
    private readonly authentication: AuthenticateSender,
    private readonly store: StoreReport,
    private readonly own: OwnAddresses,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.taken = metrics.counter(
      'postmesh_domain_reports_total',
      'Reports of receivers about sending domains, by kind and by what became of them',
      ['kind', 'effect'],
    );
  }

  /**
   * Resolves after the commits. A failed report may be handed over again.
   * @throws Transient when the author cannot be proved now, or the domains service is unavailable
   */
  async execute({ recipients, envelope, raw, receivedAt }: ArrivedDomainReport): Promise<void> {
    const ids = new Set(recipients.map(({ domain_id }) => domain_id));
    const domains = await Promise.all([...ids].slice(0, MAX_DOMAINS).map((id) => this.domain(id)));
    const known = domains.filter((domain) => domain !== undefined);
    if (known.length === 0) return this.note('unknown', 'unknown-domain');
    const author = await this.author(envelope, raw);
    if (author === undefined) return this.note('unknown', 'unproven', known[0]);
    await this.waitFor(author);
    try {
      await this.takeProved(author, known, raw, receivedAt);
    } finally {
      this.reading.release(author);
    }
  }

  /** @throws Transient when other reports are read for too long */
  private async waitFor(author: string): Promise<void> {
    try {
      await this.reading.acquire(author, AbortSignal.timeout(MAX_WAIT_MS));
    } catch (error) {
      throw new Transient('too many reports are read now', undefined, { cause: error });
    }
  }

  private async takeProved(
    author: string,
    known: readonly ReportedDomain[],
    raw: Buffer,
    receivedAt: Date,
  ): Promise<void> {
    const report = await this.read(raw, known[0]);
    if (!report) return;
    const provider = reporterOf(author, report.kind === 'failure' ? '' : report.organisation);
    const arrival = { author: registrable(author), provider, receivedAt };
    for (const domain of known) this.note(report.kind, await this.keep(report, domain, arrival, raw), domain);
  }

  /** @returns undefined when no account has the domain */
  private async domain(id: DomainId): Promise<ReportedDomain | undefined> {
    const request = { method: 'GET' as const, path: `/internal/domains/${id}` };
    const facts = await this.client.request('domains', request, DomainFacts);
    if (!facts) return undefined;
    return {
      accountId: AccountId.parse(facts.account_id),
      domainId: DomainId.parse(facts.domain_id),
      domain: facts.domain,
    };
  }

  /** @returns the domain of From, proved; undefined for forged mail */
  private async author({ sender, session }: Pick<InboundEnvelope, 'sender' | 'session'>, raw: Buffer) {
    const proof = await this.authentication.prove({
      ...{ raw, sender, headers: readHeaderBlock(raw) },
      ...{ ip: session.client_ip, helo: session.helo },
    });
    if (proof.dmarc === 'temperror') throw new Transient('the author of a report cannot be proved now');
    const domain = summaryOf(raw).author.replace(/^.*@/s, '').toLowerCase();
    return isProved(domain, proof) ? domain : undefined;
  }

  private async read(raw: Buffer, domain: ReportedDomain | undefined): Promise<DomainReport | undefined> {
    try {
      const report = await readDomainReport(raw);
      if (!report) this.note('unknown', 'no-report', domain);
      return report;
    } catch (error) {
      if (!(error instanceof UnreadableReport)) throw error;
      this.note('unknown', 'unreadable', domain, error.message);
      return undefined;
    }
  }

  private async keep(
    report: DomainReport,
    about: ReportedDomain,
    arrival: Arrival,
    raw: Buffer,
  ): Promise<StoreEffect | 'untimely' | 'other-domain'> {
    if (report.kind === 'failure' && !isOfDomain(report, about)) return 'other-domain';
    if (report.kind === 'failure') return this.keepFailure(report, about, arrival, raw);
    if (!isTimely(report, arrival.receivedAt)) return 'untimely';
    if (report.kind === 'tls') {
      const rows = tlsRows(report, about, arrival);
      const sessions = rows.reduce((sum, row) => sum + row.sessions, 0);
      return this.dataSource.transaction((tx) =>
        this.store.tls(tx, reportRow(report, about, arrival, sessions), rows),
      );
    }
    const sources = sourceRows(report, about, arrival, await this.own.known());
    const messages = sources.reduce((sum, row) => sum + row.messages, 0);
    return this.dataSource.transaction((tx) =>
      this.store.aggregate(tx, about, reportRow(report, about, arrival, messages), sources),
    );
  }

  private async keepFailure(
    report: FailureReport,
    about: ReportedDomain,
    arrival: Arrival,
    raw: Buffer,
  ): Promise<StoreEffect> {
    const { messageIdHeader } = report;
    const { manager } = this.dataSource;
    const [messageId = null] =
      messageIdHeader === null ? [] : await findByHeader(manager, about.accountId, messageIdHeader);
    return this.dataSource.transaction((tx) =>
      this.store.failure(tx, failureRow(report, about, arrival, { raw, messageId })),
    );
  }

  private note(
    kind: DomainReport['kind'] | 'unknown',
    effect: Effect,
    about?: ReportedDomain,
    reason?: string,
  ): void {
    this.taken.inc({ kind, effect });
    this.logger.info(
      {
        event: 'domain_report.taken',
        ...{ kind, effect },
        ...(reason === undefined ? {} : { reason }),
        ...(about ? { account_id: about.accountId, domain: about.domain } : {}),
      },
      'report about a domain handled',
    );
  }
}

/** Small receivers publish no policy: then SPF or a signature of their own domain is the proof. */
const isProved = (author: string, { dmarc, provenDomains }: SenderProof): boolean =>
  author !== '' &&
  (dmarc === 'pass' ||
    (dmarc === 'none' && provenDomains.some((domain) => registrable(domain) === registrable(author))));

const isOfDomain = ({ reportedDomain }: FailureReport, { domain }: ReportedDomain): boolean =>
  reportedDomain === null || isAbout(reportedDomain, domain);

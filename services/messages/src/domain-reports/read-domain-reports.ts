import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiErrors, DomainId, type AccountId } from '@postmesh/contracts';
import { DomainDirectory } from '@postmesh/domains-contract';
import { AuthenticateSender } from '../inbound/authenticate-sender.js';
import { OwnAddresses } from '../own-addresses/own-addresses.js';
import { GroupedCounters } from '../statistics/grouped-counters.js';
import type { DomainReports } from './domain-reports.schema.js';
import { findingsOf, groupedBy, sourcesToKnow, type KnownSource } from './findings.rules.js';
import { OTHER_SOURCES } from './report-rows.rules.js';
import { ReportedFigures, type SourceFigures } from './reported-figures.js';
import { providerName } from './reporters.table.js';

interface Command {
  readonly accountId: AccountId;
  /** normalised */
  readonly domain: string;
  readonly days: number;
}

const DAY_MS = 86_400_000;
const MAX_SOURCES = 100;
/** Look-ups of SPF for one response: each has a dozen queries. */
const MAX_SPF = 10;
const SPF_MS = 600_000;
const MAX_KNOWN = 5_000;

/** The reports about a domain: figures, one sentence and one fix per provider, and where they come from. */
@Injectable()
export class ReadDomainReports {
  /** by domain and source */
  private readonly spf = new LRUCache<string, boolean>({ max: MAX_KNOWN, ttl: SPF_MS });

  constructor(
    private readonly domains: DomainDirectory,
    private readonly figures: ReportedFigures,
    private readonly counters: GroupedCounters,
    private readonly authentication: AuthenticateSender,
    private readonly own: OwnAddresses,
  ) {}

  /** @throws ApiError 404 */
  async execute({ accountId, domain, days }: Command): Promise<DomainReports> {
    const facts = await this.domains.find(accountId, domain);
    if (!facts) throw ApiErrors.notFound('domain');
    const range = { domainId: DomainId.parse(facts.domain_id), days };
    const [isOwn, sources, byDay, tls, failures, reports, [fall], delivered] = await Promise.all([
      this.own.known(),
      this.figures.sources(range),
      this.figures.days(range),
      this.figures.tls(range),
      this.figures.failures(range),
      this.figures.reports(range),
      this.figures.falls(accountId).then((all) => all.filter(({ domainId }) => domainId === range.domainId)),
      this.delivered(accountId, domain, days),
    ]);
    const known = await this.know(domain, sources, isOwn);
    return {
      object: 'domain_reports',
      domain,
      days,
      last_report_at: reports[0]?.receivedAt.toISOString() ?? null,
      alignment: {
        message_count: sum(byDay, ({ messages }) => messages),
        failed_count: sum(byDay, ({ messages, aligned }) => messages - aligned),
        fell_at: fall?.fellAt.toISOString() ?? null,
        usual_share: fall?.usual ?? null,
      },
      findings: findingsOf(domain, sources, known).map(
        ({ provider, messages, failed, code, source, sentence, fix }) => {
          const own = sources.filter((each) => each.provider === provider);
          return {
            ...{ provider, provider_name: providerName(provider), code, source, sentence, fix },
            message_count: messages,
            failed_count: failed,
            quarantined_count: sum(own, ({ quarantined }) => quarantined),
            rejected_count: sum(own, ({ rejected }) => rejected),
            own_count: sum(own, (each) => (isOwn(each.source) ? each.messages : 0)),
            delivered_count: delivered.get(provider) ?? 0,
          };
        },
      ),
      by_day: byDay.map(({ day, messages, aligned }) => ({
        day,
        message_count: messages,
        failed_count: messages - aligned,
      })),
      sources: shownSources(sources, known),
      tls: tls.map(({ provider, policyType, resultType, mxHost, sessions }) => ({
        ...{ provider, provider_name: providerName(provider), policy_type: policyType, mx_host: mxHost },
        result_type: resultType === '' ? null : resultType,
        session_count: sessions,
      })),
      failures: failures.map((each) => ({
        received_at: each.receivedAt.toISOString(),
        arrived_at: each.arrivedAt?.toISOString() ?? null,
        provider_name: providerName(each.provider),
        ...{ source: each.source, failure: each.failure, alignment: each.alignment },
        ...{ delivery_result: each.deliveryResult, dkim_domain: each.dkimDomain },
        ...{ incident_count: each.incidents, message_id: each.messageId },
      })),
      reports: reports.map((each) => ({
        ...{ kind: each.kind, organisation: each.organisation, provider_name: providerName(each.provider) },
        ...{ report_id: each.reportId, message_count: each.messages, skipped_count: each.skipped },
        begins_at: each.beginsAt.toISOString(),
        ends_at: each.endsAt.toISOString(),
        received_at: each.receivedAt.toISOString(),
      })),
    };
  }

  /** Our own count of the same time, by provider. */
  private async delivered(accountId: AccountId, domain: string, days: number): Promise<Map<string, number>> {
    const to = new Date();
    const range = { from: new Date(to.getTime() - days * DAY_MS), to };
    const groups = await this.counters.read('providers', { accountId, range, senderDomains: [domain] });
    return new Map(groups.map(({ subject, delivered }) => [subject, delivered]));
  }

  /** SPF is looked up for the sources that findings name. */
  private async know(domain: string, sources: readonly SourceFigures[], isOwn: (address: string) => boolean) {
    const asked = sourcesToKnow(sources).filter((source) => source !== OTHER_SOURCES && !isOwn(source));
    const looked = await Promise.all(
      asked.slice(0, MAX_SPF).map(async (source) => [source, await this.isInSpf(domain, source)] as const),
    );
    const inSpf = new Map(looked);
    return (source: string): KnownSource => ({
      isOwn: isOwn(source),
      isInSpf: inSpf.get(source) ?? null,
    });
  }

  private async isInSpf(domain: string, source: string): Promise<boolean | null> {
    const key = `${domain} ${source}`;
    const known = this.spf.get(key);
    if (known !== undefined) return known;
    const result = await this.authentication.spfOf(domain, source);
    if (result === 'temperror') return null;
    this.spf.set(key, result === 'pass');
    return result === 'pass';
  }
}

function shownSources(
  sources: readonly SourceFigures[],
  know: (source: string) => KnownSource,
): DomainReports['sources'] {
  return [...groupedBy(sources, 'source')].slice(0, MAX_SOURCES).map(([source, own]) => {
    const { isOwn, isInSpf } = know(source);
    const failing = own.find(({ messages, aligned }) => aligned < messages);
    return {
      source,
      is_own: isOwn,
      in_spf: isInSpf,
      provider_count: own.length,
      message_count: sum(own, ({ messages }) => messages),
      failed_count: sum(own, ({ messages, aligned }) => messages - aligned),
      dkim_aligned_count: sum(own, ({ dkimAligned }) => dkimAligned),
      spf_aligned_count: sum(own, ({ spfAligned }) => spfAligned),
      dkim_domain: failing?.dkimDomain ?? null,
      spf_domain: failing?.spfDomain ?? null,
    };
  });
}

const sum = <T>(list: readonly T[], of: (each: T) => number): number =>
  list.reduce((total, each) => total + of(each), 0);

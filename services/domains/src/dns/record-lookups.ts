import { Inject, Injectable } from '@nestjs/common';
import {
  isDnsValid,
  type RecordProblem,
  type SendingDomain,
  type DnsRecordKind,
} from '../database/entities.js';
import type { AccountSettings } from '../domain-store/account-settings.js';
import { AliasPublication } from '../managed-zone/alias-publication.js';
import { judgeDkimKey } from './dkim-key.rules.js';
import { DnsBudget } from './dns-budget.js';
import { dkimAlias, dnsRecords, type DnsRecord } from './dns-records.rules.js';
import { DNS_RESOLVER, type DnsLookups, type DnsResolver, type Lookup } from './dns-resolver.port.js';
import { PASS, type Judgement, type Verdict } from './judgement.js';
import { judgeRecord } from './record-judgements.js';
import { recordProblem } from './record-problems.rules.js';
import { confirmFailure, type ResolverVerdict } from './resolver-agreement.rules.js';
import { onlySpf } from './spf-record.rules.js';

/** One record with the result of its look-up. */
export interface Finding {
  kind: DnsRecordKind;
  host: string;
  content: string;
  required: boolean;
  verdict: Verdict;
  problem: RecordProblem | null;
}

export interface Findings {
  records: readonly Finding[];
  /** the owner's only SPF record, null when there is none or several; undefined = inconclusive */
  publishedSpf: string | null | undefined;
  /** the alias in our own zone: whether our key could be written and looked up, and whether it is published */
  alias: 'published' | 'missing' | 'unreachable' | 'unwritten' | 'not-needed';
}

/** Below the 30 s of the gateway, with time for the next steps: every resolver alone, the transaction. */
const CHECK_BUDGET_MS = 15_000;
/** A create does not wait for slow name servers: the next check repeats the look-up. */
const CREATE_BUDGET_MS = 3_000;

interface Judged {
  record: DnsRecord;
  judgement: Judgement;
}

/** Looks up a domain's records and judges them as receivers of its messages would (spec 1-platform §11.4). */
@Injectable()
export class RecordLookups {
  constructor(
    @Inject(DNS_RESOLVER) private readonly resolver: DnsResolver,
    private readonly aliases: AliasPublication,
  ) {}

  async lookUp(domain: SendingDomain, account: AccountSettings): Promise<Findings> {
    const [{ asked, spf, judged }, alias] = await DnsBudget.within(CHECK_BUDGET_MS, this.resolver, (dns) =>
      Promise.all([judgeAsPublished(dns, domain, account), this.alias(dns, domain, account)]),
    );
    const confirmed = isDnsValid(domain) ? await this.confirm(judged, asked, account) : judged;
    return { records: confirmed.map(toFinding), publishedSpf: spf, alias };
  }

  /** The records as they are seen now; nothing is written, and nothing is confirmed by other resolvers. */
  async seen(dns: DnsLookups, domain: SendingDomain, account: AccountSettings): Promise<readonly Finding[]> {
    const { judged } = await judgeAsPublished(dns, domain, account);
    return judged.map(toFinding);
  }

  /** The existing SPF record of an owner; null when the look-up does not end in time. */
  findPublishedSpf(domain: string): Promise<string | null> {
    return DnsBudget.within(
      CREATE_BUDGET_MS,
      this.resolver,
      async (dns) => publishedSpf(await dns.txt(domain)) ?? null,
    );
  }

  /** Publishes pending keys before the look-up: resolvers cache the absence of a name. */
  private async alias(
    dns: DnsLookups,
    { id, dnsMode, domainToken, activeSlot, publicKeys }: SendingDomain,
    account: AccountSettings,
  ): Promise<Findings['alias']> {
    if (dnsMode !== 'managed') return 'not-needed';
    if ((await this.aliases.waitsBecause(id, activeSlot)) !== undefined) return 'unwritten';
    const texts = await dns.txt(dkimAlias(domainToken, activeSlot, account.records.hosts));
    const { verdict } = judgeDkimKey(texts, publicKeys[activeSlot] ?? '');
    if (verdict === 'unknown') return 'unreachable';
    if (verdict === 'fail') await this.aliases.writeAgain(id, activeSlot);
    return verdict === 'pass' ? 'published' : 'missing';
  }

  /** A failure that makes a domain invalid must be seen by more than one resolver (ADR 25). */
  private async confirm(
    judged: readonly Judged[],
    domain: SendingDomain,
    account: AccountSettings,
  ): Promise<readonly Judged[]> {
    if (!judged.some(isCostly)) return judged;
    const views = await this.resolver.eachResolver((dns) => judgeAll(dns, domain, account));
    return judged.map((item) => {
      if (!isCostly(item)) return item;
      const verdicts = views.flatMap(({ resolver, answer }): ResolverVerdict[] => {
        const seen = answer.find(({ record }) => record.kind === item.record.kind);
        return seen ? [{ resolver, verdict: seen.judgement.verdict }] : [];
      });
      return { record: item.record, judgement: confirmFailure(item.judgement, verdicts) };
    });
  }
}

const isCostly = ({ record, judgement }: Judged): boolean => record.required && judgement.verdict === 'fail';

/** The wanted SPF record is the owner's current one with our include, not an earlier one. */
async function judgeAsPublished(dns: DnsLookups, domain: SendingDomain, account: AccountSettings) {
  const spf = publishedSpf(await dns.txt(domain.domain));
  const asked = spf === undefined ? domain : { ...domain, publishedSpf: spf };
  return { spf, asked, judged: await judgeAll(dns, asked, account) };
}

async function judgeAll(dns: DnsLookups, domain: SendingDomain, account: AccountSettings): Promise<Judged[]> {
  const judged = await Promise.all(
    dnsRecords(domain, account.records).map(async (record) => ({
      record,
      judgement: await judgeRecord(dns, { domain, account, record }),
    })),
  );
  return account.returnPathSatisfiesSpf ? acceptReturnPath(judged) : judged;
}

/** For accounts chosen by the operator a valid return-path suffices: all their envelope senders are below it. */
function acceptReturnPath(judged: readonly Judged[]): Judged[] {
  const isVerified = judged.some(
    ({ record, judgement }) => record.kind === 'return_path' && judgement.verdict === 'pass',
  );
  return judged.map((item) =>
    isVerified && item.record.kind === 'spf' ? { ...item, judgement: PASS } : item,
  );
}

function toFinding({ record, judgement: { verdict, cause } }: Judged): Finding {
  const { kind, host, content, required } = record;
  return { kind, host, content, required, verdict, problem: cause && recordProblem(cause, record) };
}

function publishedSpf(texts: Lookup<string>): string | null | undefined {
  if (texts.kind === 'unknown') return undefined;
  return texts.kind === 'found' ? (onlySpf(texts.values) ?? null) : null;
}

import { Inject, Injectable } from '@nestjs/common';
import { databaseNow } from '@postmesh/database';
import { DataSource, type EntityManager } from 'typeorm';
import { SYSTEM_ACCOUNT_ID } from '@postmesh/contracts';
import { Metrics, type Logger } from '@postmesh/observability';
import { Outbox } from '@postmesh/events';
import { LOGGER } from '@postmesh/service-host';
import { DnsRecordVerdict, isDnsValid, type SendingDomain } from '../database/entities.js';
import type { AccountSettings } from '../domain-store/account-settings.js';
import { DkimKeys } from '../dkim-keys/dkim-keys.repository.js';
import { domainDnsFailed } from '../domain-store/domain-events.rules.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { applyFindings, type CheckResult } from './dns-state.rules.js';
import type { CheckSource } from './dns-state.rules.js';
import { RecordLookups, type Findings } from './record-lookups.js';

interface CheckDomainCommand {
  domain: SendingDomain;
  account: AccountSettings;
  source: CheckSource;
}

type CheckOutcome =
  | { kind: 'checked'; result: CheckResult }
  | { kind: 'domain-gone' }
  /** look-ups work, but not those in our own zone: managed DKIM cannot be judged */
  | { kind: 'zone-unreachable' };

/** One check of one domain: look up, judge, write. */
@Injectable()
export class CheckDomain {
  private readonly checks;

  constructor(
    private readonly dataSource: DataSource,
    private readonly lookups: RecordLookups,
    private readonly domains: SendingDomains,
    private readonly keys: DkimKeys,
    private readonly outbox: Outbox,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.checks = metrics.counter('postmesh_dns_checks_total', 'Checks of sending domains', [
      'source',
      'outcome',
      'alias',
    ]);
  }

  async execute(command: CheckDomainCommand): Promise<CheckOutcome> {
    const startedAt = Date.now();
    const findings = await this.lookups.lookUp(command.domain, command.account);
    const outcome = await this.conclude(command, findings);
    this.checks.inc({ source: command.source, outcome: outcome.kind, alias: findings.alias });
    this.log(command, findings, { outcome, ms: Date.now() - startedAt });
    return outcome;
  }

  /** Verdicts, state, locks and events are written in one transaction, to the current row of the domain. */
  private async conclude(
    { domain, account, source }: CheckDomainCommand,
    findings: Findings,
  ): Promise<CheckOutcome> {
    if (isZoneUnreachable(findings)) return { kind: 'zone-unreachable' };
    return this.dataSource.transaction(async (tx) => {
      const before = await this.domains.lock(tx, domain.id);
      if (!before) return { kind: 'domain-gone' };
      const now = await databaseNow(tx);
      const context = { records: account.records, source, now, chance: Math.random() };
      const result = applyFindings(before, findings, context);
      await this.write(tx, before, result);
      return { kind: 'checked', result };
    });
  }

  private async write(tx: EntityManager, before: SendingDomain, result: CheckResult): Promise<void> {
    const { after, looked, becameInvalid, becameValid } = result;
    const judgedAt = after.lastDnsCheckAt ?? after.updatedAt;
    const verdicts = looked.flatMap((kind) => {
      const verdict = after.records[kind];
      return verdict ? [{ domainId: after.id, kind, judgedAt, ...verdict }] : [];
    });
    if (verdicts.length > 0) await tx.upsert(DnsRecordVerdict, verdicts, ['domainId', 'kind']);
    if (after.activeSlot !== before.activeSlot) await this.keys.activate(tx, after, judgedAt);
    await this.domains.update(tx, before, after);
    if (becameValid) await this.domains.contestCopies(tx, after);
    // the service's own domain causes no notice: the operator sees its state
    if (becameInvalid && after.accountId !== SYSTEM_ACCOUNT_ID) {
      await this.outbox.add(tx, [domainDnsFailed(after, judgedAt)]);
    }
  }

  private log(
    { domain, source }: CheckDomainCommand,
    { records, alias }: Findings,
    { outcome, ms }: { outcome: CheckOutcome; ms: number },
  ): void {
    const after = outcome.kind === 'checked' ? outcome.result.after : domain;
    const line = {
      event: 'domain.checked',
      domain_id: domain.id,
      account_id: domain.accountId,
      domain: domain.domain,
      source,
      outcome: outcome.kind,
      state_before: domain.state,
      state_after: after.state,
      verdicts: Object.fromEntries(records.map(({ kind, verdict }) => [kind, verdict])),
      problems: problemCodes(records),
      alias,
      ms,
    };
    // the owner has published everything, but receivers cannot verify the signatures: only the operator can fix it
    const isMissing = outcome.kind === 'checked' && isDnsValid(after) && alias === 'missing';
    if (isMissing) this.logger.warn(line, 'service zone lacks the DKIM key of a domain');
    else if (outcome.kind === 'zone-unreachable') this.logger.warn(line, 'managed zone cannot be reached');
    else this.logger.info(line, 'domain checked');
  }
}

const problemCodes = (records: Findings['records']): Readonly<Record<string, string>> =>
  Object.fromEntries(records.flatMap(({ kind, problem }) => (problem ? [[kind, problem.code]] : [])));

/** When every look-up fails, the resolvers fail, and the check is inconclusive. */
function isZoneUnreachable({ alias, records }: Findings): boolean {
  // our own server refuses the key, whatever the resolvers answer
  if (alias === 'unwritten') return true;
  return alias === 'unreachable' && records.some(({ verdict }) => verdict !== 'unknown');
}

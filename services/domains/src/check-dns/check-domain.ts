import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@postmesh/observability';
import { Metrics } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import type { AccountSettings } from '../account-settings/account-settings.js';
import { isDnsValid, type SendingDomain } from '../sending-domain/sending-domain.js';
import type { CheckResult } from './apply-findings.rules.js';
import type { CheckSource } from './dns-state.rules.js';
import { DomainChecker, type Findings } from './domain-checker.js';
import { RecordCheck } from './record-check.js';

export type CheckOutcome =
  | { kind: 'checked'; result: CheckResult }
  | { kind: 'domain-gone' }
  /** look-ups work, but not those in our own zone: nothing can be said about managed DKIM */
  | { kind: 'zone-unreachable' };

/** One check of one domain: look up, judge, write. */
@Injectable()
export class CheckDomain {
  private readonly checks;

  constructor(
    private readonly checker: DomainChecker,
    private readonly recordCheck: RecordCheck,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.checks = metrics.counter('postmesh_dns_checks_total', 'Checks of sending domains', [
      'source',
      'outcome',
      'alias',
    ]);
  }

  async execute(domain: SendingDomain, account: AccountSettings, source: CheckSource): Promise<CheckOutcome> {
    const startedAt = Date.now();
    const findings = await this.checker.check(domain, account);
    const outcome = await this.conclude(domain, account, { findings, source });
    this.checks.inc({ source, outcome: outcome.kind, alias: findings.alias });
    this.log({ domain, findings, outcome, source, ms: Date.now() - startedAt });
    return outcome;
  }

  private async conclude(
    domain: SendingDomain,
    account: AccountSettings,
    { findings, source }: { findings: Findings; source: CheckSource },
  ): Promise<CheckOutcome> {
    if (isZoneUnreachable(findings)) return { kind: 'zone-unreachable' };
    const context = { records: account.records, source, now: new Date(), chance: Math.random() };
    const result = await this.recordCheck.execute(domain.id, findings, context);
    return result ? { kind: 'checked', result } : { kind: 'domain-gone' };
  }

  private log(check: {
    domain: SendingDomain;
    findings: Findings;
    outcome: CheckOutcome;
    source: CheckSource;
    ms: number;
  }): void {
    const { domain, findings, outcome, source, ms } = check;
    const line = {
      domain_id: domain.id,
      account_id: domain.account_id,
      domain: domain.domain,
      source,
      outcome: outcome.kind,
      state_before: domain.state,
      state_after: outcome.kind === 'checked' ? outcome.result.after.state : domain.state,
      verdicts: Object.fromEntries(findings.records.map(({ kind, verdict }) => [kind, verdict])),
      alias: findings.alias,
      ms,
    };
    if (needsOperator(outcome, findings))
      this.logger.warn(line, 'domain checked, our own zone lacks its DKIM key');
    else this.logger.info(line, 'domain checked');
  }
}

/** The owner has done everything, yet nobody can verify the signatures: the operator's zone lacks what it promised. */
function needsOperator(outcome: CheckOutcome, { alias }: Findings): boolean {
  if (outcome.kind === 'zone-unreachable') return true;
  return outcome.kind === 'checked' && isDnsValid(outcome.result.after) && alias === 'missing';
}

/** Where no look-up at all succeeds it is the resolvers that fail, which is an inconclusive check. */
function isZoneUnreachable({ alias, records }: Findings): boolean {
  return alias === 'unreachable' && records.some(({ verdict }) => verdict !== 'unknown');
}

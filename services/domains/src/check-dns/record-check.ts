import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { SYSTEM_ACCOUNT_ID, type EventEnvelope } from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import { DnsRecordEntity } from '../database/entities/dns-record.entity.js';
import { DomainEntity } from '../database/entities/domain.entity.js';
import {
  domainChanged,
  domainDnsFailed,
  domainFacts,
  factsDiffer,
} from '../sending-domain/domain-facts.rules.js';
import type { SendingDomain } from '../sending-domain/sending-domain.js';
import { SendingDomains } from '../sending-domain/sending-domains.repository.js';
import { applyFindings, type CheckContext, type CheckResult } from './apply-findings.rules.js';
import type { Findings } from './domain-checker.js';

/** Writes what a check found: verdicts, state, locks and events in one transaction. */
@Injectable()
export class RecordCheck {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly outbox: Outbox,
  ) {}

  /** @returns undefined when the domain was deleted meanwhile */
  execute(domainId: string, findings: Findings, context: CheckContext): Promise<CheckResult | undefined> {
    return this.dataSource.transaction(async (manager) => {
      const before = await this.domains.lock(manager, domainId);
      if (!before) return undefined;
      const result = applyFindings(before, findings, context);
      await this.write(manager, result);
      if (result.becameValid) await contestCopies(manager, result.after);
      await this.outbox.add(manager, eventsOf(before, result, context.now));
      return result;
    });
  }

  private async write(manager: EntityManager, { after, judged }: CheckResult): Promise<void> {
    await manager.update(DomainEntity, after.id, {
      state: after.state,
      state_since: after.state_since,
      failures: after.failures,
      contested: after.contested,
      last_dns_check_at: after.last_dns_check_at,
      next_check_at: after.next_check_at,
      locked_selector: after.locked_selector,
      published_spf: after.published_spf,
      updated_at: after.updated_at,
      revision: after.revision,
    });
    const rows = judged.flatMap((kind) => {
      const verdict = after.records[kind];
      const judged_at = after.last_dns_check_at ?? after.updated_at;
      return verdict ? [{ domain_id: after.id, kind, judged_at, ...verdict }] : [];
    });
    if (rows.length > 0) await manager.upsert(DnsRecordEntity, rows, ['domain_id', 'kind']);
  }
}

function eventsOf(before: SendingDomain, { after, becameInvalid }: CheckResult, now: Date): EventEnvelope[] {
  // nobody is to be told of the service's own domain: the operator sees its state
  const isTold = becameInvalid && after.account_id !== SYSTEM_ACCOUNT_ID;
  return [
    ...(factsDiffer(before, after) ? [domainChanged(domainFacts(after), now)] : []),
    ...(isTold ? [domainDnsFailed(after, now)] : []),
  ];
}

/**
 * The same domain in other accounts, under the same selector, may have lost its records to this one: it is
 * looked at next, and a failure then counts at once (spec 1-platform §11.5 rule 8).
 */
async function contestCopies(manager: EntityManager, domain: SendingDomain): Promise<void> {
  await manager.query(
    `update domains set contested = true, next_check_at = $4
      where domain = $1 and id <> $2 and state in ('valid', 'suspect') and locked_selector = $3`,
    [domain.domain, domain.id, domain.locked_selector, domain.last_dns_check_at],
  );
}

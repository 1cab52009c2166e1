import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SYSTEM_ACCOUNT_ID, type DomainId } from '@postmesh/contracts';
import type { BounceJudgements } from '@postmesh/messages-contract';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import {
  bouncesTooMuch,
  keyOf,
  splitByLift,
  type BounceFigure,
  type LastLifts,
} from './bounce-rate.rules.js';
import { DomainPauses } from './domain-pauses.js';

/** A domain that sends, has bounces enough to be judged, and is not paused. */
interface Candidate {
  id: DomainId;
  account_id: string;
  domain: string;
  lifted_at: Date | null;
}

/** A lift of the owner's own pause forgets no bounces: an owner could escape the judgement by it. */
const COUNTS_ANEW = `reason <> 'owner'`;

/**
 * Pauses domains whose messages bounce too much (spec 1-platform §11.8 rule 1). The messages service gives the figures every
 * five minutes from its counters; nothing is kept between two judgements.
 */
@Injectable()
export class JudgeBounces {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly pauses: DomainPauses,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * @returns those of the suspects whose figures reach back to before the last lift, which only this service knows: the
   *   others are judged
   */
  async judge(figures: readonly BounceFigure[]): Promise<BounceJudgements['count_since']> {
    const suspects = figures.filter((figure) => bouncesTooMuch(figure, this.settings));
    if (suspects.length === 0) return [];
    const candidates = await this.candidates(suspects);
    const lifts: LastLifts = new Map(
      [...candidates].flatMap(([key, { lifted_at }]) => (lifted_at ? [[key, lifted_at] as const] : [])),
    );
    const known = suspects.filter((figure) => candidates.has(keyOf(figure)));
    const { counted, askAgain } = splitByLift(known, lifts);
    for (const figure of counted) {
      const candidate = candidates.get(keyOf(figure));
      if (candidate) await this.pause(candidate, figure);
    }
    return askAgain;
  }

  /** The figures of domains that still exist and send. The service's own domain is left to its operator. */
  private async candidates(figures: readonly BounceFigure[]): Promise<Map<string, Candidate>> {
    const rows: Candidate[] = await this.dataSource.query(
      `select id, account_id, domain,
          (select max(lifted_at) from domain_pauses past
            where past.account_id = domains.account_id and past.domain = domains.domain
              and ${COUNTS_ANEW}) as lifted_at
        from domains join unnest($1::uuid[], $2::text[]) as given(account_id, domain) using (account_id, domain)
        where paused_at is null and account_id <> $3`,
      [figures.map(({ account_id }) => account_id), figures.map(({ domain }) => domain), SYSTEM_ACCOUNT_ID],
    );
    return new Map(rows.map((row) => [keyOf(row), row]));
  }

  /** A lift, or a pause, between the judgement and the lock makes the judgement void. */
  private async pause(candidate: Candidate, { delivered, bounced }: BounceFigure): Promise<void> {
    const cause = { reason: 'bounce_rate', by: 'automatic', figures: { delivered, bounced } } as const;
    const paused = await this.dataSource.transaction(async (tx) => {
      const domain = await this.domains.lock(tx, candidate.id);
      if (!domain || domain.pausedAt !== null) return false;
      const [{ lifted_at: lift }]: [{ lifted_at: Date | null }] = await tx.query(
        `select max(lifted_at) as lifted_at from domain_pauses
          where account_id = $1 and domain = $2 and ${COUNTS_ANEW}`,
        [domain.accountId, domain.domain],
      );
      if (lift?.getTime() !== candidate.lifted_at?.getTime()) return false;
      await this.pauses.pause(tx, domain, cause);
      return true;
    });
    if (!paused) return;
    const { id: domain_id, account_id, domain } = candidate;
    const line = { event: 'domain.paused', domain_id, account_id, domain, delivered, bounced };
    this.logger.warn(line, 'domain paused for its bounce rate');
  }
}

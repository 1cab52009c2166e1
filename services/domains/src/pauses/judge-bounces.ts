import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import {
  BounceFigures,
  SYSTEM_ACCOUNT_ID,
  Transient,
  type BounceFiguresRequest,
  type DomainId,
} from '@postmesh/contracts';
import { pause } from '@postmesh/concurrency';
import { InternalClient } from '@postmesh/internal-http';
import { Periodic } from '@postmesh/jobs';
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

// The page size of the messages service, and a bound that no installation reaches.
const PAGE = 1_000;
const MAX_JUDGED = 100 * PAGE;

/** Retries for a service that is just starting, perhaps together with this one. */
const ASK_AGAIN_MS = 2_000;
const ASK_TIMES = 10;

/** A domain that sends, has bounces enough to be judged, and is not paused. */
interface Candidate {
  id: DomainId;
  account_id: string;
  domain: string;
  lifted_at: Date | null;
}

/**
 * Pauses domains whose messages bounce too much (spec 1-platform §11.8 rule 1). The counters of the messages service
 * are the source of truth; no state is kept between two runs.
 */
@Injectable()
export class JudgeBounces {
  constructor(
    private readonly dataSource: DataSource,
    private readonly client: InternalClient,
    private readonly domains: SendingDomains,
    private readonly pauses: DomainPauses,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Periodic({ name: 'judge-bounces', everyMs: 300_000, timeoutMs: 120_000 })
  async judgeSoon(signal: AbortSignal): Promise<void> {
    for (let time = 1; !signal.aborted; time += 1) {
      try {
        return await this.judge(signal);
      } catch (error) {
        if (!(error instanceof Transient) || time === ASK_TIMES) throw error;
        await pause(ASK_AGAIN_MS, signal);
      }
    }
  }

  /**
   * Page by page, domains with most bounces first; a domain that a page misses is found by the next run.
   * @throws Transient when the messages service cannot be reached: the next run retries
   */
  async judge(signal?: AbortSignal): Promise<void> {
    const { pauseMinBounces: min_bounced } = this.settings;
    for (let offset = 0; offset < MAX_JUDGED && !signal?.aborted;) {
      const figures = await this.figures({ min_bounced, offset });
      if (figures.length === 0) return;
      await this.judgeSome(figures, signal);
      offset += PAGE;
    }
  }

  private async judgeSome(figures: readonly BounceFigure[], signal?: AbortSignal): Promise<void> {
    const suspects = figures.filter((figure) => bouncesTooMuch(figure, this.settings));
    if (suspects.length === 0) return;
    const candidates = await this.candidates(suspects);
    const guilty = await this.sinceTheirLift(suspects, candidates);
    for (const figure of guilty) {
      const candidate = candidates.get(keyOf(figure));
      if (signal?.aborted) return;
      if (candidate) await this.pause(candidate, figure);
    }
  }

  private async figures(body: z.input<typeof BounceFiguresRequest>): Promise<BounceFigure[]> {
    const request = { method: 'POST' as const, path: '/internal/bounce-figures', body };
    const response = await this.client.request('messages', request, BounceFigures);
    if (!response) throw new Transient('messages has no bounce figures');
    return response.figures;
  }

  /** The figures of domains that still exist and send. The service's own domain is left to its operator. */
  private async candidates(figures: readonly BounceFigure[]): Promise<Map<string, Candidate>> {
    const rows: Candidate[] = await this.dataSource.query(
      `select id, account_id, domain,
          (select max(lifted_at) from domain_pauses past
            where past.account_id = domains.account_id and past.domain = domains.domain) as lifted_at
        from domains join unnest($1::uuid[], $2::text[]) as given(account_id, domain) using (account_id, domain)
        where paused_at is null and account_id <> $3`,
      [figures.map(({ account_id }) => account_id), figures.map(({ domain }) => domain), SYSTEM_ACCOUNT_ID],
    );
    return new Map(rows.map((row) => [keyOf(row), row]));
  }

  /** Whether the bounces exceed the limit, counted since the last lift. */
  private async sinceTheirLift(
    suspects: readonly BounceFigure[],
    candidates: ReadonlyMap<string, Candidate>,
  ): Promise<BounceFigure[]> {
    const lifts: LastLifts = new Map(
      [...candidates].flatMap(([key, { lifted_at }]) => (lifted_at ? [[key, lifted_at] as const] : [])),
    );
    const { counted, askAgain } = splitByLift(
      suspects.filter((figure) => candidates.has(keyOf(figure))),
      lifts,
    );
    if (askAgain.length === 0) return counted;
    const again = await this.figures({ domains: askAgain });
    return [...counted, ...again.filter((figure) => bouncesTooMuch(figure, this.settings))];
  }

  /** A lift or a pause between the judgement and the lock invalidates the judgement. */
  private async pause(candidate: Candidate, { delivered, bounced }: BounceFigure): Promise<void> {
    const cause = { reason: 'bounce_rate', by: 'automatic', figures: { delivered, bounced } } as const;
    const paused = await this.dataSource.transaction(async (tx) => {
      const domain = await this.domains.lock(tx, candidate.id);
      if (!domain || domain.pausedAt !== null) return false;
      const [{ lifted_at: lift }]: [{ lifted_at: Date | null }] = await tx.query(
        'select max(lifted_at) as lifted_at from domain_pauses where account_id = $1 and domain = $2',
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

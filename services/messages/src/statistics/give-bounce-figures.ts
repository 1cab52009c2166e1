import { Inject, Injectable } from '@nestjs/common';
import { pause } from '@postmesh/concurrency';
import { BounceJudgements, type BounceFigures } from '@postmesh/messages-contract';
import { Transient } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { Periodic } from '@postmesh/work';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { BounceCounts, type BounceFigure } from './bounce-counts.js';

const PAGE = 1_000;
// An upper bound of domains with bounces in an installation.
const MAX_JUDGED = 100 * PAGE;

// Covers a domains service that starts, perhaps together with this one.
const AGAIN_MS = 2_000;
const TIMES = 10;

/** Sends the domains service the figures by which it pauses domains (spec 1-platform §11.8 rule 1). */
@Injectable()
export class GiveBounceFigures {
  constructor(
    private readonly counts: BounceCounts,
    private readonly client: InternalClient,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Periodic({ name: 'give-bounce-figures', everyMs: 300_000, timeoutMs: 120_000 })
  async giveSoon(signal: AbortSignal): Promise<void> {
    for (let time = 1; !signal.aborted; time += 1) {
      try {
        return await this.give(signal);
      } catch (error) {
        if (!(error instanceof Transient) || time === TIMES) throw error;
        await pause(AGAIN_MS, signal);
      }
    }
  }

  /**
   * Page by page, the domains with most bounces first; a domain that a page misses because of concurrent changes is in
   * the next run.
   * @throws Transient when the domains service is unavailable: the next run sends them again
   */
  async give(signal?: AbortSignal): Promise<void> {
    const { pauseMinBounces: min_bounced } = this.settings;
    for (let offset = 0; offset < MAX_JUDGED && !signal?.aborted; offset += PAGE) {
      const figures = await this.counts.most({ min_bounced, offset });
      if (figures.length === 0) return;
      const since = await this.judge(figures);
      if (since.length > 0) await this.judge(await this.counts.since(since));
    }
  }

  /** @returns the domains to be counted since their last lift; none from a release that pulls figures */
  private async judge(figures: BounceFigure[]): Promise<BounceJudgements['count_since']> {
    const body: BounceFigures = { figures };
    const request = { method: 'POST' as const, path: '/internal/bounce-judgements', body };
    const judged = await this.client.request('domains', request, BounceJudgements);
    return judged?.count_since ?? [];
  }
}

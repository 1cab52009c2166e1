import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Jobs } from '@postmesh/jobs';
import { JOBS } from '@postmesh/service-host';
import { ToldReceptions } from '../match-events/told-receptions.js';

const EVERY_MS = 300_000;
// A run that finds more goes on in the next one.
const MOST_BATCHES = 100;

const PRUNE = { queue: 'webhooks', name: 'prune-told-receptions', everyMs: EVERY_MS, timeoutMs: 300_000 };

/** Forgets told receptions that no outcome looks back to any more. */
@Injectable()
export class PruneToldReceptions implements OnApplicationBootstrap {
  constructor(
    private readonly told: ToldReceptions,
    @Inject(JOBS) private readonly jobs: Jobs,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.repeat(PRUNE, (signal) => this.prune(signal));
  }

  async prune(signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1) {
      const { more } = await this.told.prune();
      if (!more) return;
    }
  }
}

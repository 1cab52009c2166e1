import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { z } from 'zod';
import { defineJob, type Jobs } from '@postmesh/jobs';
import { JOBS } from '@postmesh/service-host';
import { ToldReceptions } from '../match-events/told-receptions.js';

const EVERY_MS = 300_000;
// A run that finds more goes on in the next one.
const MOST_BATCHES = 100;

const PRUNE = defineJob({
  queue: 'webhooks',
  name: 'prune-told-receptions',
  payload: z.object({}),
  attempts: 1,
  backoff: { firstMs: 1_000, maxMs: 1_000 },
  timeoutMs: 300_000,
  concurrency: 1,
});

/** Forgets told receptions that no outcome looks back to any more. */
@Injectable()
export class PruneToldReceptions implements OnApplicationBootstrap {
  constructor(
    private readonly told: ToldReceptions,
    @Inject(JOBS) private readonly jobs: Jobs,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.process({ prune: PRUNE }, { prune: ({ signal }) => this.prune(signal) });
    await this.jobs.every(PRUNE, {}, { id: 'prune-told-receptions', everyMs: EVERY_MS });
  }

  async prune(signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1) {
      const { more } = await this.told.prune();
      if (!more) return;
    }
  }
}

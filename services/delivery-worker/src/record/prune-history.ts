import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Jobs } from '@postmesh/jobs';
import { JOBS } from '@postmesh/service-host';
import { WorkerLease } from '../lease/worker-lease.js';

const EVERY_MS = 300_000;
const ATTEMPTS_DAYS = 7;
// A batch reads the messages from the beginning, so few large ones; five minutes bring 300,000 at a thousand a second.
const BATCH = 100_000;
const MOST_BATCHES = 10;

const PRUNE = { queue: 'delivery-worker', name: 'prune', everyMs: EVERY_MS, timeoutMs: 300_000 };

/** Forgets messages that nobody waits for, old attempts and dead workers. */
@Injectable()
export class PruneHistory implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lease: WorkerLease,
    @Inject(JOBS) private readonly jobs: Jobs,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.repeat(PRUNE, (signal) => this.prune(signal));
  }

  async prune(signal: AbortSignal): Promise<void> {
    await this.inBatches(signal, () => this.delete(MESSAGES, []));
    await this.inBatches(signal, () => this.delete(ATTEMPTS, [ATTEMPTS_DAYS]));
    await this.lease.forgetDead();
  }

  private async inBatches(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
    for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch++) {
      if ((await step()) < BATCH) return;
    }
  }

  private async delete(statement: string, parameters: unknown[]): Promise<number> {
    const [, count]: [unknown, number] = await this.dataSource.query(statement, parameters);
    return count;
  }
}

// an intake in flight writes message and deliveries in one transaction, so an old message without any is done
const MESSAGES = `delete from messages where send_request_id = any(array(
  select send_request_id from messages l where accepted_at < now() - interval '10 minutes'
    and not exists (select from deliveries d where d.send_request_id = l.send_request_id) limit ${BATCH}))`;

const ATTEMPTS = `delete from attempts where ctid = any(array(
  select ctid from attempts where finished_at < now() - make_interval(days => $1) limit ${BATCH}))`;

import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Jobs } from '@postmesh/jobs';
import { Metrics } from '@postmesh/observability';
import { JOBS } from '@postmesh/service-host';
import { DispatchLoop } from './dispatch-loop.js';
import { OWED_CALLS, type OwedCalls } from './owed-calls.port.js';

const EVERY_MS = 10_000;

const WAKE = { queue: 'webhook-dispatcher', name: 'wake', everyMs: EVERY_MS, timeoutMs: 10_000 };

/** An alarm from outside the loop: whatever its own timers forgot, due calls are looked for again. */
@Injectable()
export class WakeAlarm implements OnApplicationBootstrap {
  constructor(
    private readonly loop: DispatchLoop,
    @Inject(JOBS) private readonly jobs: Jobs,
    @Inject(OWED_CALLS) private readonly calls: OwedCalls,
    metrics: Metrics,
  ) {
    metrics.gauge(
      'postmesh_webhook_calls_late_seconds',
      'How long the oldest webhook call that nobody makes has been due',
      [],
      async (gauge) => gauge.set(await this.lateSeconds()),
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.repeat(WAKE, async () => this.loop.wake());
  }

  /** A database that cannot be asked is told of by health; the other metrics are still to be read. */
  private async lateSeconds(): Promise<number> {
    const dueInMs = await this.calls.nextDueInMs().catch(() => undefined);
    return Math.max(0, -(dueInMs ?? 0) / 1_000);
  }
}

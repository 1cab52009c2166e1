import { Inject, Injectable } from '@nestjs/common';
import { pause } from '@postmesh/concurrency';
import { unpublished, type EventBus } from '@postmesh/events';
import { EVENT_BUS } from '@postmesh/service-host';
import { DataSource } from 'typeorm';

// Calls of all accounts share one stream: about this many may precede the next requested call. Both groups read some
// thousands of them in a second.
const MOST_BEHIND = 2_000;
const GROUPS: ReadonlySet<string> = new Set(['webhook-dispatcher', 'webhooks']);
const LOOK_MS = 250;

/** The lag of the readers of the calls: fan-outs are published at the pace of these readers. */
@Injectable()
export class IntakePressure {
  private looked = { at: Number.NEGATIVE_INFINITY, behind: 0 };

  constructor(
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    private readonly dataSource: DataSource,
  ) {}

  /** Resolves when the readers have caught up, or at the abort. */
  async eased(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.behind()) > MOST_BEHIND) await pause(LOOK_MS, signal);
  }

  private async behind(): Promise<number> {
    if (performance.now() - this.looked.at >= LOOK_MS) {
      const unread = (await this.bus.lag())
        .filter(({ group, stream }) => stream === 'webhook-deliveries' && GROUPS.has(group))
        .map(({ behind }) => behind);
      const { count } = await unpublished(this.dataSource, MOST_BEHIND + 1);
      this.looked = { at: performance.now(), behind: Math.max(0, ...unread) + count };
    }
    return this.looked.behind;
  }
}

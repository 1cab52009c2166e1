import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { databaseNow } from '@postmesh/database';
import { Outbox, type EventBus } from '@postmesh/events';
import { PeriodicTasks } from '@postmesh/work';
import type { Logger } from '@postmesh/observability';
import { EVENT_BUS, LOGGER } from '@postmesh/service-host';
import { DataSource } from 'typeorm';
import { LostMail, type Found } from './lost-mail.js';
import { OpenMessages, type OpenMessage, type PassCursor } from './open-messages.js';
import { nextSpanMs, PASSES, publishedUntil, type Pass } from './republish-passes.rules.js';

// The most messages of one request to the delivery worker.
const BATCH_SIZE = 1_000;
// Per pass in one run: the next run continues.
const MAX_SPANS = 200;
const MAX_BATCHES = 60;
// The clock of the publishing relay may differ from ours.
const CLOCKS_DIFFER_MS = 10_000;
// An outcome arrives within seconds, or after an outage of the bus.
const OUTCOMES_MISSED_SECONDS = 3_600;
const SHOWN_IDS = 20;
const REPUBLISH = { name: 'republish-messages', everyMs: 60_000, timeoutMs: 300_000 };

/** `retell`: all published outcomes are handled here, so missing ones were lost. */
type RunningPass = Pass & { retell: boolean };

const NOTHING: Found = { events: [], ended: [], retold: [] };

/** Events of messages accepted before `until` were published at the time `at`. */
interface Published {
  at: Date;
  until: Date;
}

/**
 * The rows are the truth, the bus carries only facts about them (architecture §1.2): when a stream was lost after a
 * message was published and before it was consumed, this sweep publishes it again. It asks the delivery worker which
 * open messages it never had, once the worker has handled all earlier events: an event that waits on the bus, because
 * the worker is slow or down, is not lost. The event has its old id, so a consumer that had it ignores it by its inbox.
 * The worker publishes the outcomes again of deliveries that have ended there and are open here.
 */
@Injectable()
export class RepublishMessages implements OnApplicationBootstrap {
  private published: Published | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly messages: OpenMessages,
    private readonly outbox: Outbox,
    private readonly repair: LostMail,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    private readonly tasks: PeriodicTasks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** An event in the log of this database is as safe as its row, and a second one would have its effect twice. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.outbox.way === 'log') return;
    await this.tasks.add(REPUBLISH, (signal) => this.run(signal));
  }

  /** Now, by the database's clock. */
  async run(signal: AbortSignal): Promise<void> {
    await this.sweep(await databaseNow(this.dataSource), signal);
  }

  /** A run notes the state of the outbox; a later run uses it, once the delivery worker has handled those events. */
  async sweep(now: Date, signal: AbortSignal): Promise<void> {
    const before = this.published;
    const until = new Date((before ?? { at: now }).at.getTime() + CLOCKS_DIFFER_MS);
    if (before && !(await this.bus.hasHandled('delivery-worker', 'messages', until))) return;
    this.published = { at: now, until: publishedUntil(now, await this.messages.oldestUnpublished()) };
    if (!before) return;
    const retell = await this.bus.hasHandled('messages', 'deliveries', until);
    for (const pass of PASSES) {
      const due = now.getTime() - pass.ageSeconds * 1000;
      await this.sweepPass({ ...pass, retell }, new Date(Math.min(due, before.until.getTime())), signal);
    }
  }

  private async sweepPass(pass: RunningPass, until: Date, signal: AbortSignal): Promise<void> {
    let cursor = await this.messages.cursor(pass.name, until);
    let spanMs: number | undefined;
    let isFull = false;
    for (let spans = 0, full = 0; spans < MAX_SPANS && full < MAX_BATCHES && !signal.aborted; spans++) {
      if (cursor.at >= until) return;
      spanMs = nextSpanMs(spanMs, isFull);
      const end = new Date(Math.min(cursor.at.getTime() + spanMs, until.getTime()));
      const open = await this.messages.after(cursor, end, BATCH_SIZE);
      isFull = open.length === BATCH_SIZE;
      const last = open.at(-1);
      const to = isFull && last ? { at: last.acceptedAt, id: last.id } : { at: end, id: null };
      if (!(await this.sweepBatch(pass, open, { from: cursor, to }))) return;
      cursor = to;
      if (open.length > 0) full += 1;
    }
  }

  /** @returns whether this process did it: a concurrent one may have been faster */
  private async sweepBatch(
    pass: RunningPass,
    open: readonly OpenMessage[],
    step: { from: PassCursor; to: PassCursor },
  ): Promise<boolean> {
    const found = open.length === 0 ? NOTHING : await this.repair.find(open, pass.retell);
    const mine = await this.dataSource.transaction(async (tx) => {
      const moved = await this.messages.move(tx, pass.name, step);
      if (moved) await this.outbox.add(tx, found.events);
      return moved;
    });
    if (mine) this.tell(pass, found);
    return mine;
  }

  private tell(pass: RunningPass, { events, ended, retold }: Found): void {
    if (events.length > 0) {
      this.logger.warn(
        { event: 'messages.republished', pass: pass.name, count: events.length },
        'republished events that had not reached the delivery worker',
      );
    }
    if (retold.length > 0) {
      this.logger.warn(
        { event: 'messages.outcomes_retold', pass: pass.name, count: retold.length },
        'the delivery worker republishes outcomes that were lost on the bus',
      );
    }
    const missing = ended.filter((id) => !retold.includes(id));
    if (pass.retell && missing.length > 0 && pass.ageSeconds >= OUTCOMES_MISSED_SECONDS) {
      this.logger.warn(
        { event: 'messages.outcomes_missing', count: missing.length, ids: missing.slice(0, SHOWN_IDS) },
        'outcomes of ended deliveries are lost, the messages stay open',
      );
    }
  }
}

import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DebouncedTask, inBatches } from '@postmesh/concurrency';
import { PeriodicTasks } from '@postmesh/work';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { clickBotReason, SEVERAL_LINKS_MS, type BotReason } from './bot.rules.js';
import { TrackedMessages } from './tracked-messages.js';
import type { DecidedFetch, TrackedMessage } from './tracked-messages.rules.js';

// No job: after a crash a click would wait for half a minute. A process that records a click announces it; clicks of
// processes that ended before their time are found by polling.
const EVERY_MS = 1_000;
const IDLE_MS = 10_000;
const BATCH_SIZE = 500;
const MAX_BATCHES = 100;

/** A click that is not classified yet. */
interface OpenClick {
  id: string;
  messageId: string;
  at: Date;
  url: string;
  ip: string;
  userAgent: string;
  severalLinks: boolean;
}

/**
 * Classifies clicks as made by a person or a machine, after the time in which a scanner would have fetched other links
 * of the message. Until then they have no effect; they are stored, so a crash delays them and loses none. Each click is
 * classified once, by the first process that locks it.
 */
@Injectable()
export class DecideClicks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly deciding = new DebouncedTask(
    async (signal) => (await this.decide(signal)) > 0,
    (error) =>
      this.logger.warn(
        { event: 'tracking.decide_failed', err: error },
        'classifying clicks failed, will retry',
      ),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly messages: TrackedMessages,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly tasks: PeriodicTasks,
  ) {}

  onApplicationBootstrap(): void {
    if (this.tasks.areHere) this.deciding.every(EVERY_MS, IDLE_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.deciding.stop();
  }

  /** A click was recorded: it is classified as soon as other links of its message would have been fetched. */
  recorded(): void {
    if (this.tasks.areHere) this.deciding.triggerIn(SEVERAL_LINKS_MS);
  }

  /** @returns the number of clicks that were old enough */
  async decide(signal: AbortSignal): Promise<number> {
    let decided = 0;
    const step = async () => {
      const count = await this.decideBatch();
      decided += count;
      return count;
    };
    await inBatches(step, { size: BATCH_SIZE, max: MAX_BATCHES, signal });
    return decided;
  }

  private async decideBatch(): Promise<number> {
    const clicks: OpenClick[] = await this.dataSource.query(UNDECIDED, [SEVERAL_LINKS_MS]);
    if (clicks.length > 0) await this.dataSource.transaction((tx) => this.decideThese(tx, clicks));
    return clicks.length;
  }

  /** Locks the messages first, in the same order as recording and purging. */
  private async decideThese(tx: EntityManager, clicks: readonly OpenClick[]): Promise<void> {
    const messages = await this.messages.lock(
      tx,
      clicks.map(({ messageId }) => messageId),
    );
    const decided = clicks.map((click) => decidedClick(click, messages.get(click.messageId)));
    const mine = await keep(tx, decided);
    await this.messages.apply(
      tx,
      messages,
      decided.filter(({ id }) => mine.has(id)),
    );
  }
}

function decidedClick(click: OpenClick, message: TrackedMessage | undefined): DecidedFetch {
  const { id, messageId, at, url, ip, userAgent, severalLinks } = click;
  const deliveredAt = message?.deliveredAt ?? at;
  const botReason = clickBotReason({ userAgent, at, deliveredAt, severalLinks });
  return { id, kind: 'click', messageId, at, url, ip, userAgent, botReason };
}

/** @returns the clicks that no other process has classified */
async function keep(tx: EntityManager, decided: readonly DecidedFetch[]): Promise<ReadonlySet<string>> {
  const reasons: (BotReason | null)[] = decided.map(({ botReason }) => botReason);
  const [rows]: [{ id: string }[], number] = await tx.query(
    `update tracked_fetches f set is_bot = given.reason is not null, bot_reason = given.reason
     from unnest($1::uuid[], $2::text[]) as given(id, reason)
     where f.id = given.id and f.is_bot is null returning f.id`,
    [decided.map(({ id }) => id), reasons],
  );
  return new Set(rows.map(({ id }) => id));
}

// Age of the row by the clock of the database; distance between fetches by the clocks of the gateways.
const UNDECIDED = `
  select f.id, f.message_id as "messageId", f.at, f.url, f.ip, f.user_agent as "userAgent",
    exists (
      select from tracked_fetches other
      where other.message_id = f.message_id and other.kind = 'click' and other.link_index <> f.link_index
        and other.at between f.at - $1 * interval '1 millisecond' and f.at + $1 * interval '1 millisecond'
    ) as "severalLinks"
  from tracked_fetches f
  where f.is_bot is null and f.recorded_at <= now() - $1 * interval '1 millisecond'
  order by f.recorded_at limit ${BATCH_SIZE}`;

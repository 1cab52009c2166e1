import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { TrackedFetch } from '@postmesh/messages-contract';
import { GroupCommit, insertRows } from '@postmesh/database';
import { botReason, type BotReason } from './bot.rules.js';
import { DecideClicks } from './decide-clicks.js';
import { FetchBudgets } from './fetch-budgets.js';
import { TrackedMessages } from './tracked-messages.js';

/** A row of `tracked_fetches`. */
interface FetchRow extends TrackedFetch {
  messageId: string;
  linkIndex: number | null;
  userAgent: string;
  botReason: BotReason | null;
  /** null: a click that is not classified yet */
  isBot: boolean | null;
}

const COLUMNS = {
  id: 'uuid',
  message_id: 'uuid',
  kind: 'text',
  at: 'timestamptz',
  link_index: 'int',
  url: 'text',
  ip: 'text',
  user_agent: 'text',
  bot_reason: 'text',
  is_bot: 'bool',
} as const;

/**
 * Records the fetches of pixels and links that gateways report. Opens have their effect at once; clicks wait until a
 * machine's fetches of several links would show (`DecideClicks`). One transaction at a time: deliveries share the
 * database.
 */
@Injectable()
export class RecordFetches {
  private readonly group = new GroupCommit<readonly TrackedFetch[], void>((reports) => this.commit(reports), {
    maxWeight: 1_000,
    flushers: 1,
    maxPending: 100,
    weightOf: (fetches) => fetches.length,
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly messages: TrackedMessages,
    private readonly budgets: FetchBudgets,
    private readonly clicks: DecideClicks,
  ) {}

  /** Resolves after the commit. A repeated report has its effect once. @throws Transient when too many wait */
  async execute(fetches: readonly TrackedFetch[]): Promise<void> {
    const admitted = await this.admit(fetches);
    if (admitted.length > 0) await this.group.add(admitted);
  }

  /** Drops fetches above the rate before any lock is taken: a flood costs one indexed read per report. */
  private async admit(fetches: readonly TrackedFetch[]): Promise<TrackedFetch[]> {
    const rows: { id: string; accountId: string }[] = await this.dataSource.query(
      'select id, account_id as "accountId" from messages where id = any($1::uuid[])',
      [[...new Set(fetches.map((fetch) => fetch.message_id))]],
    );
    const accounts = new Map(rows.map(({ id, accountId }) => [id, accountId]));
    return fetches.filter(({ message_id, kind }) => {
      const accountId = accounts.get(message_id);
      // a fetch of a message that is purged or unknown is not recorded (spec 2-messages §11 rule 5)
      return accountId !== undefined && this.budgets.admits(accountId, message_id, kind);
    });
  }

  private async commit(reports: readonly (readonly TrackedFetch[])[]): Promise<void[]> {
    const open = await this.dataSource.transaction((tx) => this.record(tx, reports.flat()));
    if (open > 0) this.clicks.recorded();
    return reports.map(() => undefined);
  }

  /** @returns the number of clicks that are not classified yet */
  private async record(tx: EntityManager, fetches: readonly TrackedFetch[]): Promise<number> {
    const messages = await this.messages.lock(
      tx,
      fetches.map((fetch) => fetch.message_id),
    );
    // the others are purged since, or about to be
    const rows = fetches.filter(({ message_id }) => messages.has(message_id)).map(toRow);
    const inserted = await insertRows<FetchRow, keyof typeof COLUMNS, { id: string }>(
      tx,
      'tracked_fetches',
      COLUMNS,
      rows,
      { onConflict: 'do nothing', returning: 'id' },
    );
    const isNew = new Set(inserted.map(({ id }) => id));
    const decided = rows.filter(({ id, isBot }) => isNew.has(id) && isBot !== null);
    await this.messages.apply(
      tx,
      messages,
      decided.map((row) => ({ ...row, at: new Date(row.at) })),
    );
    return isNew.size - decided.length;
  }
}

function toRow(fetch: TrackedFetch): FetchRow {
  const { kind, ip, prefetch, user_agent: userAgent } = fetch;
  const reason = botReason({ kind, ip, prefetch, userAgent });
  return {
    ...fetch,
    messageId: fetch.message_id,
    linkIndex: fetch.link_index ?? null,
    userAgent,
    botReason: reason,
    // a click without evidence may still be classified as a machine's
    isBot: reason !== null ? true : kind === 'open' ? false : null,
  };
}

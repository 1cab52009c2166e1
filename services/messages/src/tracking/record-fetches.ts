import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { TrackedFetch } from '@postmesh/contracts';
import { GroupCommit, insertRows } from '@postmesh/database';
import { botReason, type BotReason } from './bot.rules.js';
import { FetchBudgets } from './fetch-budgets.js';
import { TrackedMessages } from './tracked-messages.js';
import type { TrackedMessage } from './tracked-messages.rules.js';

/** A row of `tracked_fetches`. */
interface FetchRow extends TrackedFetch {
  messageId: string;
  linkIndex: number | null;
  userAgent: string;
  botReason: BotReason | null;
  /** null: of a click that nobody has decided yet */
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
 * Keeps what the gateways report of pixels and links. Opens have their effect at once; clicks wait until can be told
 * whether a machine fetched several links (`DecideClicks`). One transaction at a time: deliveries share the database.
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
  ) {}

  /** Resolves after the commit. A report that comes twice has its effect once. @throws Transient when too many wait */
  execute(fetches: readonly TrackedFetch[]): Promise<void> {
    return this.group.add(fetches);
  }

  private async commit(reports: readonly (readonly TrackedFetch[])[]): Promise<void[]> {
    await this.dataSource.transaction((tx) => this.record(tx, reports.flat()));
    return reports.map(() => undefined);
  }

  private async record(tx: EntityManager, fetches: readonly TrackedFetch[]): Promise<void> {
    const messages = await this.messages.lock(
      tx,
      fetches.map((fetch) => fetch.message_id),
    );
    const rows = fetches.filter((fetch) => this.isRecorded(fetch, messages)).map(toRow);
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
  }

  /** A message that is purged, or never was, leaves nothing to count on (spec 2-messages §11 rule 5). */
  private isRecorded(
    { message_id, kind }: TrackedFetch,
    messages: ReadonlyMap<string, TrackedMessage>,
  ): boolean {
    const message = messages.get(message_id);
    return message !== undefined && this.budgets.admits(message.accountId, message_id, kind);
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
    // a person's click may still turn out to be a machine's
    isBot: reason !== null ? true : kind === 'open' ? false : null,
  };
}

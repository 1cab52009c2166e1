import { setImmediate as breathe } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { pause } from '@postmesh/concurrency';
import { insertRows, UNNAMED } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { tryLockSearchIndex } from './index-lock.js';
import { SEGMENT_SIZE, SegmentBuilder, type SegmentMessage } from './segment.rules.js';

/**
 * The least age of a message in a segment: by then the transaction that accepted it has committed, and so has every
 * change that was too fresh for `search_changes` (one minute).
 */
const SETTLED_MINUTES = 3;
const MAX_ACCOUNTS = 1_000;
// Then other accounts follow, and pending changes.
const SEGMENTS_AT_ONCE = 10;
const BUSY_LOOK_S = 30;
const QUIET_LOOK_S = 300;
// About 10 ms of this process; other work runs in between.
const MESSAGES_AT_ONCE = 1_024;
// It rests as long as it worked, so that a large backlog leaves processor time.
const MAX_REST_MS = 500;

interface Account {
  accountId: string;
  sealedAt: string;
  sealedId: string;
  segments: string;
}

interface UnsealedMessage extends SegmentMessage {
  createdAt: string;
  keptUntil: Date;
}

/** Writes messages that are a few minutes old into segments, as soon as an account has enough of them for one. */
@Injectable()
export class SealSegments {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Accounts with messages and without a row yet: one probe of an index per account. */
  async findAccounts(): Promise<void> {
    await this.dataSource.query(FIND_ACCOUNTS);
  }

  /** Accounts without any message left. Their next message adds them again. */
  async forgetAccounts(): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      if (await tryLockSearchIndex(tx)) await tx.query(FORGET_ACCOUNTS);
    });
  }

  /** @returns the number of written segments; some accounts may have more */
  async sealDue(signal: AbortSignal): Promise<number> {
    const accounts: { id: string }[] = await this.dataSource.query(DUE_ACCOUNTS, [MAX_ACCOUNTS]);
    let made = 0;
    for (const { id } of accounts) made += await this.trySeal(id, signal);
    return made;
  }

  /** A failure of one account does not affect the others. @throws where none could be sealed */
  private async trySeal(accountId: string, signal: AbortSignal): Promise<number> {
    try {
      return await this.sealAccount(accountId, signal);
    } catch (error) {
      // fails again when the database is unavailable
      await this.lookAgain(accountId, 0);
      const about = { event: 'search_index.seal_failed', err: error, account_id: accountId };
      this.logger.error(about, 'updating the search index of an account failed, will retry');
      return 0;
    }
  }

  /** @returns the number of written segments, a bounded batch: an account with more is due again at once */
  async sealAccount(accountId: string, signal: AbortSignal): Promise<number> {
    let made = 0;
    while (!signal.aborted) {
      if (made === SEGMENTS_AT_ONCE) return made;
      const begun = performance.now();
      const sealed = await this.dataSource.transaction((tx) => sealNext(tx, accountId));
      if (sealed === 'busy') return made;
      if (sealed === 'too few') break;
      made++;
      await pause(Math.min(performance.now() - begun, MAX_REST_MS), signal);
    }
    if (!signal.aborted) await this.lookAgain(accountId, made);
    return made;
  }

  private async lookAgain(accountId: string, made: number): Promise<void> {
    await this.dataSource.query(
      `update search_accounts set next_look_at = now() + make_interval(secs => $2) where account_id = $1`,
      [accountId, made > 0 ? BUSY_LOOK_S : QUIET_LOOK_S],
    );
  }
}

async function sealNext(tx: EntityManager, accountId: string): Promise<'sealed' | 'too few' | 'busy'> {
  if (!(await tryLockSearchIndex(tx))) return 'busy';
  const [account]: Account[] = await tx.query(ACCOUNT, [accountId]);
  if (!account) return 'too few';
  const place = [accountId, account.sealedAt, account.sealedId, SETTLED_MINUTES, SEGMENT_SIZE];
  const [counted]: { unsealed: number }[] = await tx.query(`${UNNAMED} ${COUNT_UNSEALED}`, place);
  if ((counted?.unsealed ?? 0) < SEGMENT_SIZE) return 'too few';
  const messages: UnsealedMessage[] = await tx.query(`${UNNAMED} ${UNSEALED}`, place);
  await writeSegment(tx, account, messages.reverse());
  return 'sealed';
}

/** @param messages newest first */
async function writeSegment(
  tx: EntityManager,
  { accountId, segments }: Account,
  messages: readonly UnsealedMessage[],
): Promise<void> {
  const [newest, oldest] = [messages[0], messages.at(-1)];
  if (!newest || !oldest) return;
  const built = await build(messages);
  const segment = Number(segments) + 1;
  const keptUntil = messages.reduce((until, one) => Math.max(until, one.keptUntil.getTime()), 0);
  await tx.query(INSERT_SEGMENT, [
    accountId,
    segment,
    ...[oldest.createdAt, oldest.id, newest.createdAt, newest.id],
    new Date(keptUntil),
    built.ids,
    built.statuses,
  ]);
  const postings = built.postings.map((posting) => ({ ...posting, accountId, segment }));
  await insertRows(tx, 'search_postings', POSTING_COLUMNS, postings);
  await tx.query(
    'update search_accounts set segments = $2, sealed_at = $3, sealed_id = $4 where account_id = $1',
    [accountId, segment, newest.createdAt, newest.id],
  );
}

async function build(messages: readonly UnsealedMessage[]) {
  const builder = new SegmentBuilder(messages.length);
  for (const [nth, message] of messages.entries()) {
    if (nth % MESSAGES_AT_ONCE === 0) await breathe();
    builder.add(message);
  }
  return builder.finish();
}

export const POSTING_COLUMNS = {
  account_id: 'uuid',
  token: 'text',
  segment: 'bigint',
  positions: 'bytea',
} as const;

const FIND_ACCOUNTS = `
  with recursive accounts as (
    (select account_id from messages where campaign_id is null order by account_id limit 1)
    union all
    select (select m.account_id from messages m where m.campaign_id is null and m.account_id > accounts.account_id
      order by m.account_id limit 1)
    from accounts where accounts.account_id is not null)
  insert into search_accounts (account_id) select account_id from accounts where account_id is not null
  on conflict do nothing`;

// one probe of each index per account, for any plan of the planner
const FORGET_ACCOUNTS = `
  delete from search_accounts a
  where (select 1 from messages m where m.account_id = a.account_id and m.campaign_id is null limit 1) is null
    and (select 1 from search_segments g where g.account_id = a.account_id limit 1) is null`;

const DUE_ACCOUNTS = `select account_id as id from search_accounts where next_look_at <= now()
  order by next_look_at limit $1`;

const ACCOUNT = `select account_id as "accountId", sealed_at::text as "sealedAt", sealed_id as "sealedId", segments
  from search_accounts where account_id = $1`;

const UNSEALED_KEYS = `select id, created_at from messages
  where account_id = $1 and campaign_id is null and (created_at, id) > ($2::timestamptz, $3::uuid)
    and created_at < now() - make_interval(mins => $4)
  order by created_at, id limit $5`;

const COUNT_UNSEALED = `select count(*)::int as unsealed from (${UNSEALED_KEYS}) as keys`;

const UNSEALED = `
  select m.id, m.created_at::text as "createdAt", m.recipient, m.status, coalesce(m.subject, s.subject) as subject,
    s.sender, s.domain, s.tags, s.retain_metadata_until as "keptUntil"
  from (${UNSEALED_KEYS}) as keys
  join messages m on m.id = keys.id
  join send_requests s on s.id = m.send_request_id
  order by keys.created_at, keys.id`;

const INSERT_SEGMENT = `
  insert into search_segments (account_id, segment, oldest_at, oldest_id, newest_at, newest_id, kept_until,
    ids, statuses)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

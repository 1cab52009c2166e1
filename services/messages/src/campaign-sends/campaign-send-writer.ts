import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountId, MessageId } from '@postmesh/contracts';
import { GroupCommit } from '@postmesh/database';
import { CommitSends, hasLimit, SendRequestStore, type PendingSend } from '../accept/send-request-store.js';
import { forSome, type SendRequest } from '../accept/send-request.rules.js';
import type { CreditFacts } from '../usage/usage.rules.js';

/** The outcome of a stored message. */
type StoredOutcome = 'accepted' | 'suppressed';
export type StoredOutcomes = ReadonlyMap<MessageId, StoredOutcome>;

interface PendingBatch {
  campaignId: string;
  sendRequest: SendRequest;
  credit: CreditFacts;
}

// One commit takes some ten milliseconds of Postgres; other work runs on the same processors in between.
const MAX_GROUP_MESSAGES = 400;
// Batches, of a hundred messages each.
const MAX_PENDING = 100;

/**
 * Stores batches of campaigns, each at most once: the ids of the messages are in the request. Their commits are
 * separate, so that interactive requests never wait for them.
 */
@Injectable()
export class CampaignSendWriter {
  private readonly group: GroupCommit<PendingBatch, StoredOutcomes>;
  /**
   * accounts with a limit lock their family until the commit: one batch at a time, so that their other mail waits for
   * no more
   */
  private readonly cappedGroup: GroupCommit<PendingBatch, StoredOutcomes>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: SendRequestStore,
    private readonly commits: CommitSends,
  ) {
    const commit = (batches: readonly PendingBatch[]) => this.commit(batches);
    const options = { flushers: 1, maxPending: MAX_PENDING };
    const weightOf = ({ sendRequest }: PendingBatch) => sendRequest.messages.length;
    this.group = new GroupCommit(commit, { ...options, maxWeight: MAX_GROUP_MESSAGES, weightOf });
    this.cappedGroup = new GroupCommit(commit, { ...options, maxWeight: 1 });
  }

  /** @returns the ids that an earlier request has stored */
  findStored(accountId: AccountId, ids: readonly MessageId[]): Promise<StoredOutcomes> {
    return findStored(this.dataSource.manager, [{ accountId, ids }]);
  }

  /**
   * Resolves after the commit. Messages that another request has stored meanwhile are left out.
   * @returns the outcome of each message; none for messages above the credit
   */
  async write(batch: PendingBatch): Promise<StoredOutcomes> {
    await this.store.putContents([batch.sendRequest]);
    return (hasLimit(batch) ? this.cappedGroup : this.group).add(batch);
  }

  private async commit(batches: readonly PendingBatch[]): Promise<StoredOutcomes[]> {
    const outcomes = new Map<MessageId, StoredOutcome>();
    const { stored } = await this.commits.execute(async (tx) => {
      outcomes.clear();
      await lockCampaigns(tx, batches);
      const wanted = batches.map(({ sendRequest }) => ({
        accountId: sendRequest.row.accountId,
        ids: sendRequest.messages.map(({ id }) => id),
      }));
      for (const [id, outcome] of await findStored(tx, wanted)) outcomes.set(id, outcome);
      return withoutKnown(batches, outcomes);
    });
    for (const { messages } of stored) {
      for (const { id, status } of messages) outcomes.set(id, outcomeOf(status));
    }
    const kept = new Set(stored.map(({ content }) => content.id));
    await this.store.dropContents(
      batches.map(({ sendRequest }) => sendRequest).filter(({ content }) => !kept.has(content.id)),
    );
    return batches.map(() => outcomes);
  }
}

/** Each message once, also where two requests of one group contain it. */
function withoutKnown(
  batches: readonly PendingBatch[],
  outcomes: ReadonlyMap<MessageId, unknown>,
): PendingSend[] {
  const taken = new Set<MessageId>(outcomes.keys());
  return batches.flatMap(({ sendRequest, credit }) => {
    const fresh = new Set(sendRequest.messages.map(({ id }) => id).filter((id) => !taken.has(id)));
    for (const id of fresh) taken.add(id);
    const rest = forSome(sendRequest, fresh);
    return rest ? [{ sendRequest: rest, credit, ended: () => undefined }] : [];
  });
}

/**
 * Serialises requests of one campaign until they commit, in every process, so that the second of two concurrent ones
 * finds the rows of the first. It is the first lock of the transaction, in the same order everywhere.
 */
async function lockCampaigns(tx: EntityManager, batches: readonly PendingBatch[]): Promise<void> {
  await tx.query(
    `select pg_advisory_xact_lock(key) from (
       select distinct hashtextextended('messages.campaign ' || campaign, 0) as key
       from unnest($1::text[]) as given(campaign) order by key) as ordered`,
    [batches.map(({ campaignId }) => campaignId)],
  );
}

/** A separate statement after the lock: it sees the commits of earlier holders. */
async function findStored(
  manager: EntityManager,
  wanted: readonly { accountId: AccountId; ids: readonly MessageId[] }[],
): Promise<StoredOutcomes> {
  const given = wanted.flatMap(({ accountId, ids }) => ids.map((id) => ({ accountId, id })));
  const rows: { id: MessageId; status: string }[] = await manager.query(
    `select m.id, m.status from unnest($1::uuid[], $2::uuid[]) as given(id, account_id)
     join messages m on m.id = given.id and m.account_id = given.account_id`,
    [given.map(({ id }) => id), given.map(({ accountId }) => accountId)],
  );
  return new Map(rows.map(({ id, status }) => [id, outcomeOf(status)]));
}

const outcomeOf = (status: string): StoredOutcome => (status === 'Suppressed' ? 'suppressed' : 'accepted');

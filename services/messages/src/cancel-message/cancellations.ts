import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { CanceledDeliveries } from '@postmesh/delivery-worker-contract';
import { Transient, type MessageId } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import { InternalClient } from '@postmesh/http';
import { Periodic } from '@postmesh/work';
import { canceledAttempt, ATTEMPT_COLUMNS } from '../message-status/delivery-outcomes.rules.js';
import { OPEN_STATUSES } from '../message-status/message-status.rules.js';
import type { StoredMessage } from '../read-message/messages.repository.js';
import { DropContent } from '../retention/drop-content.js';

type Canceled = Pick<StoredMessage, 'id' | 'accountId' | 'sendRequestId' | 'createdAt'>;

// The most deliveries per request to the worker; only SMTP has as many messages per Message-ID.
const BATCH = 500;
// The request itself finishes younger ones.
const LEFT_BEHIND_S = 30;
const MAX_BATCHES = 20;

/**
 * Cancels messages in three steps, with a crash possible after each (decision 31): store the cancellation, ask
 * the delivery worker to decide, store its decision. An unfinished cancellation is sent again: the worker
 * gives the same response.
 */
@Injectable()
export class Cancellations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly client: InternalClient,
    private readonly contents: DropContent,
  ) {}

  /**
   * @returns the number of messages canceled by this call
   * @throws Transient when the delivery worker is unavailable
   */
  async cancel(messages: readonly Canceled[]): Promise<number> {
    let count = 0;
    for (let at = 0; at < messages.length; at += BATCH) {
      const batch = messages.slice(at, at + BATCH);
      await insertRows(this.dataSource.manager, 'cancellations', { message_id: 'uuid' }, batch.map(toWish), {
        onConflict: 'do nothing',
      });
      count += await this.decide(batch);
    }
    return count;
  }

  /** Finishes cancellations of a process that died or could not reach the delivery worker. */
  @Periodic({ name: 'finish-cancellations', everyMs: 60_000, timeoutMs: 120_000 })
  async finishLeftBehind(signal: AbortSignal): Promise<void> {
    const finishBatch = async () => {
      const left: (Canceled & { wished: string })[] = await this.dataSource.query(LEFT_BEHIND, [
        LEFT_BEHIND_S,
        BATCH,
      ]);
      if (left.length > 0) await this.decide(left);
      return left.length;
    };
    await this.dataSource.query(FORGET_PURGED);
    await inBatches(finishBatch, { size: BATCH, max: MAX_BATCHES, signal });
  }

  private async decide(messages: readonly Canceled[]): Promise<number> {
    const answer = await this.client.request(
      'delivery-worker',
      {
        method: 'POST',
        path: '/internal/deliveries/cancel',
        body: { deliveries: messages.map(toDelivery) },
      },
      CanceledDeliveries,
    );
    if (!answer) throw new Transient('the delivery worker does not support cancelling');
    const asked = messages.map(({ id }) => id);
    const canceled = answer.canceled as MessageId[];
    const count = await this.dataSource.transaction((tx) => writeDown(tx, asked, canceled));
    this.contents.done(messages.map(({ sendRequestId }) => sendRequestId));
    return count;
  }
}

const toWish = ({ id }: Canceled) => ({ messageId: id });

const toDelivery = ({ id, accountId, sendRequestId, createdAt }: Canceled) => ({
  id,
  account_id: accountId,
  send_request_id: sendRequestId,
  accepted_at: createdAt.toISOString(),
});

/** @returns the number of messages canceled by this; those canceled by a concurrent request do not count */
async function writeDown(
  tx: EntityManager,
  asked: readonly MessageId[],
  canceled: readonly MessageId[],
): Promise<number> {
  const now = new Date();
  const [rows]: [{ id: MessageId }[], number] = await tx.query(
    `update messages m set status = 'Canceled', updated_at = $2
     from (select id from messages where id = any($1::uuid[]) order by id for update) as locked
     where m.id = locked.id and m.status = any($3) returning m.id`,
    [canceled, now, OPEN_STATUSES],
  );
  const entries = rows.map(({ id }) => canceledAttempt(id, now));
  await insertRows(tx, 'delivery_attempts', ATTEMPT_COLUMNS, entries, { onConflict: 'do nothing' });
  await tx.query('delete from cancellations where message_id = any($1::uuid[])', [asked]);
  return rows.length;
}

const LEFT_BEHIND = `
  select m.id, m.account_id as "accountId", m.send_request_id as "sendRequestId", m.created_at as "createdAt"
  from cancellations c join messages m on m.id = c.message_id
  where c.wished_at < now() - make_interval(secs => $1) order by c.wished_at limit $2`;

const FORGET_PURGED = `
  delete from cancellations c
  where c.wished_at < now() - interval '1 day' and not exists (select from messages m where m.id = c.message_id)`;

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, newId, type AccountId } from '@postmesh/contracts';
import { requirePresent } from '../account-changes/deleted-accounts.js';

/** Test messages of a campaign within an hour (spec 3-marketing §3.2). */
const TESTS_PER_HOUR = 20;
const HOUR_MS = 3_600_000;

interface Taken {
  messages: number;
  createdAt: Date;
}

// The time for which a response to an idempotency key is kept.
const KEPT_MS = 24 * HOUR_MS;

/** The test messages that a request may send. */
export interface TakenTests {
  readonly id: string;
  /** of its messages, in the order of their addresses */
  readonly messageIds: readonly string[];
  /** an earlier request with the same key has taken them, with an unknown result */
  readonly isRepeat: boolean;
}

/** The number of test messages of a campaign within the last hour, across processes and restarts. */
@Injectable()
export class TestBudget {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Takes test messages of the campaign's budget, before they are sent. A repeated request gets the ones that it took
   * before.
   * @param requestKey identifies a repeated request; null: no key
   * @throws ApiError 401, or 429 when fewer are left
   */
  take(
    accountId: AccountId,
    campaignId: string,
    { messages, requestKey }: { messages: number; requestKey: string | null },
  ): Promise<TakenTests> {
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      await tx.query(`select pg_advisory_xact_lock(hashtext('tests of a campaign'), hashtext($1))`, [
        campaignId,
      ]);
      const now = new Date();
      await tx.query('delete from campaign_tests where campaign_id = $1 and created_at <= $2', [
        campaignId,
        new Date(now.getTime() - KEPT_MS),
      ]);
      const [known]: { id: string; messageIds: string[] }[] = await tx.query(
        `select id, message_ids as "messageIds" from campaign_tests where campaign_id = $1 and request_key = $2`,
        [campaignId, requestKey],
      );
      if (known) return { ...known, isRepeat: true };
      const taken: Taken[] = await tx.query(
        `select messages, created_at as "createdAt" from campaign_tests
         where campaign_id = $1 and created_at > $2 order by created_at`,
        [campaignId, new Date(now.getTime() - HOUR_MS)],
      );
      const waitMs = waitFor(taken, messages, now);
      if (waitMs > 0) throw ApiErrors.rateLimited(Math.ceil(waitMs / 1_000));
      const id = newId();
      const messageIds = Array.from({ length: messages }, () => newId());
      await tx.query(
        `insert into campaign_tests (id, campaign_id, created_at, messages, request_key, message_ids)
         values ($1, $2, $3, $4, $5, $6)`,
        [id, campaignId, now, messages, requestKey, messageIds],
      );
      return { id, messageIds, isRepeat: false };
    });
  }

  /** For a test without any sent message. */
  async giveBack(id: string): Promise<void> {
    await this.dataSource.query('delete from campaign_tests where id = $1', [id]);
  }
}

/** @param taken oldest first @returns milliseconds until this many more are free */
export function waitFor(taken: readonly Taken[], messages: number, now: Date): number {
  let tooMany = taken.reduce((sum, one) => sum + one.messages, messages) - TESTS_PER_HOUR;
  let waitMs = 0;
  for (const one of taken) {
    if (tooMany <= 0) break;
    tooMany -= one.messages;
    waitMs = one.createdAt.getTime() + HOUR_MS - now.getTime();
  }
  return waitMs;
}

import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountId, SessionId, UserId } from '@postmesh/contracts';
import { KeyChanges } from '../revocation/key-changes.js';

/** The sessions of a user, or of a user in one account. */
export interface SessionsOf {
  readonly userId: UserId;
  readonly accountId?: AccountId;
}

const OF = 'user_id = $1 and ($2::uuid is null or account_id = $2)';

/**
 * Changes of sessions that gateways have to see with the next request. Each is called last in its transaction, and
 * resolves to the revision to wait for (CacheLeases.settled).
 */
@Injectable()
export class SessionChanges {
  constructor(private readonly keyChanges: KeyChanges) {}

  /** The role of a member has changed: sessions continue with the scopes of the new one. */
  async reread(manager: EntityManager, { userId, accountId }: SessionsOf): Promise<number> {
    const rows: { id: SessionId }[] = await manager.query(`select id from sessions where ${OF}`, [
      userId,
      accountId ?? null,
    ]);
    return this.record(manager, rows);
  }

  /** @returns the revision, and the number of sessions that have ended */
  async end(
    manager: EntityManager,
    { userId, accountId }: SessionsOf,
    id: SessionId | null = null,
  ): Promise<{ revision: number; ended: number }> {
    const [rows]: [{ id: SessionId }[], number] = await manager.query(
      `delete from sessions where ${OF} and ($3::uuid is null or id = $3) returning id`,
      [userId, accountId ?? null, id],
    );
    return { revision: await this.record(manager, rows), ended: rows.length };
  }

  /** Ends the sessions of a user that were not used for the longest time. */
  async keepNewest(manager: EntityManager, userId: UserId, most: number): Promise<number> {
    const [rows]: [{ id: SessionId }[], number] = await manager.query(
      `delete from sessions where id = any(array(
         select id from sessions where user_id = $1 order by last_used_at desc, id desc offset $2)) returning id`,
      [userId, most],
    );
    return this.record(manager, rows);
  }

  private record(manager: EntityManager, rows: readonly { id: SessionId }[]): Promise<number> {
    // a change locks the revision of all keys, so there is none without a session
    if (rows.length === 0) return this.keyChanges.latest(manager);
    return this.keyChanges.record(manager, { keyIds: rows.map(({ id }) => id) });
  }
}

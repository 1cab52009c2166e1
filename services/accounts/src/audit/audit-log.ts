import { Injectable } from '@nestjs/common';
import { MoreThan, type EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { AuditEntryEntity } from '../database/entities/index.js';

/** Who does something: an operator by name, a key by its id. */
export type Actor =
  | { readonly kind: 'operator'; readonly id: string }
  | { readonly kind: 'api-key'; readonly id: string }
  | { readonly kind: 'system' };

export interface Deed {
  actor: Actor;
  /** `account.block`, `api-key.create`, … */
  action: string;
  /** null: it concerns no account, or several */
  accountId: string | null;
  subjectId: string | null;
  /** never a secret */
  details?: Record<string, unknown>;
}

@Injectable()
export class AuditLog {
  /** Writes down what is done, in the transaction that does it. */
  async record(manager: EntityManager, deed: Deed): Promise<void> {
    await manager.insert(AuditEntryEntity, entryOf(deed));
  }

  /** The same for several deeds, in one statement. */
  async recordAll(manager: EntityManager, deeds: readonly Deed[]): Promise<void> {
    const entries = deeds.map(entryOf);
    await manager.query(
      `insert into audit_entries (id, at, actor_kind, actor_id, action, account_id, subject_id, details)
       select * from jsonb_to_recordset($1::jsonb) as entry (id uuid, at timestamptz, actor_kind text,
         actor_id text, action text, account_id uuid, subject_id text, details jsonb)`,
      [JSON.stringify(entries.map(rowOf))],
    );
  }

  /** How often something was done to an account since then. */
  async countSince(manager: EntityManager, accountId: string, action: string, since: Date): Promise<number> {
    return manager.countBy(AuditEntryEntity, { accountId, action, at: MoreThan(since) });
  }

  /**
   * Writes down what is about to be done elsewhere; its outcome is not known yet (`status: null`).
   * @returns the id of the entry
   */
  async begin(manager: EntityManager, deed: Deed): Promise<string> {
    const entry = entryOf({ ...deed, details: { ...deed.details, status: null } });
    await manager.insert(AuditEntryEntity, entry);
    return entry.id;
  }

  /** @returns false when there is no such entry, or its outcome is known already */
  async end(manager: EntityManager, id: string, status: number): Promise<boolean> {
    const [, count]: [unknown, number] = await manager.query(
      `update audit_entries set details = details || jsonb_build_object('status', $2::int)
       where id = $1 and details -> 'status' = 'null'`,
      [id, status],
    );
    return count === 1;
  }
}

function entryOf({ actor, action, accountId, subjectId, details = {} }: Deed) {
  return {
    id: newId(),
    at: new Date(),
    actorKind: actor.kind,
    actorId: actor.kind === 'system' ? null : actor.id,
    action,
    accountId,
    subjectId,
    // TypeORM types a jsonb column as a tree of partials
    details: details as object,
  };
}

const rowOf = (entry: ReturnType<typeof entryOf>) => ({
  id: entry.id,
  at: entry.at,
  actor_kind: entry.actorKind,
  actor_id: entry.actorId,
  action: entry.action,
  account_id: entry.accountId,
  subject_id: entry.subjectId,
  details: entry.details,
});

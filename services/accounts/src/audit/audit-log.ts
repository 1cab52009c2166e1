import { Injectable } from '@nestjs/common';
import { Column, Entity, MoreThan, PrimaryColumn, type EntityManager } from 'typeorm';
import { newId, type AccountId } from '@postmesh/contracts';
import { changedRows, insertRows } from '@postmesh/database';
import type { ApiCall } from '@postmesh/service-host';

/** The author of an action: an operator by name, a key by its id, a member by the id of the user. */
export type Actor =
  | { readonly kind: 'operator'; readonly id: string }
  | { readonly kind: 'api-key'; readonly id: string }
  | { readonly kind: 'member'; readonly id: string }
  | { readonly kind: 'system' };

export const SYSTEM: Actor = { kind: 'system' };
export const operatorActor = (name: string): Actor => ({ kind: 'operator', id: name });
export const memberActor = (userId: string): Actor => ({ kind: 'member', id: userId });
export const keyActor = (keyId: string): Actor => ({ kind: 'api-key', id: keyId });
export const actorOf = ({ principal: { member, key_id } }: ApiCall): Actor =>
  member ? memberActor(member.user_id) : keyActor(key_id);

export interface AuditEntry {
  actor: Actor;
  /** `account.block`, `api-key.create`, … */
  action: string;
  /** null for an action on no account, or on several */
  accountId: AccountId | null;
  /** the id of the changed record */
  subjectId: string | null;
  /** never a secret */
  details?: Record<string, unknown>;
}

// pg reads bigint as text
const SEQ = {
  to: (value: number | null) => value,
  from: (text: string | null) => (text === null ? null : Number(text)),
};

@Entity('audit_entries')
export class AuditEntryEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'timestamptz', precision: 3 }) at!: Date;
  @Column('text', { name: 'actor_kind' }) actorKind!: Actor['kind'];
  @Column('text', { name: 'actor_id', nullable: true }) actorId!: string | null;
  @Column('text') action!: string;
  @Column('uuid', { name: 'account_id', nullable: true }) accountId!: string | null;
  @Column('text', { name: 'subject_id', nullable: true }) subjectId!: string | null;
  @Column('jsonb') details!: Record<string, unknown>;
  /** its number in the chain; null until it is sealed (AuditChain) */
  @Column('bigint', { nullable: true, transformer: SEQ }) seq!: number | null;
  @Column('bytea', { nullable: true }) hash!: Buffer | null;
}

@Injectable()
export class AuditLog {
  /** Adds entries in the transaction of the action, several in one statement. */
  async record(manager: EntityManager, entries: AuditEntry | readonly AuditEntry[]): Promise<void> {
    await insertRows(manager, 'audit_entries', COLUMNS, [entries].flat().map(rowOf));
  }

  /** The number of entries of an action on an account since a time. */
  async countSince(
    manager: EntityManager,
    accountId: AccountId,
    action: string,
    since: Date,
  ): Promise<number> {
    return manager.countBy(AuditEntryEntity, { accountId, action, at: MoreThan(since) });
  }

  /**
   * Records an action of another service before its outcome is known (`status: null`).
   * @returns the id of the entry
   */
  async begin(manager: EntityManager, entry: AuditEntry): Promise<string> {
    const row = rowOf({ ...entry, details: { ...entry.details, status: null } });
    await insertRows(manager, 'audit_entries', COLUMNS, [row]);
    return row.id;
  }

  /** @returns false when there is no such entry, or it has an outcome already, or is sealed without one */
  async end(manager: EntityManager, id: string, status: number): Promise<boolean> {
    const count = await changedRows(
      manager,
      `update audit_entries set details = details || jsonb_build_object('status', $2::int)
       where id = $1 and details -> 'status' = 'null' and seq is null`,
      [id, status],
    );
    return count === 1;
  }
}

/** The sealing follows after the transaction. */
type NewEntry = Omit<AuditEntryEntity, 'seq' | 'hash'>;

const COLUMNS = {
  id: 'uuid',
  at: 'timestamptz',
  actor_kind: 'text',
  actor_id: 'text',
  action: 'text',
  account_id: 'uuid',
  subject_id: 'text',
  details: 'jsonb',
} as const;

const rowOf = ({ actor, action, accountId, subjectId, details = {} }: AuditEntry): NewEntry => ({
  id: newId(),
  at: new Date(),
  actorKind: actor.kind,
  actorId: actor.kind === 'system' ? null : actor.id,
  action,
  accountId,
  subjectId,
  details,
});

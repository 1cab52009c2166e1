import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import { findListedContact } from './listed-contact.js';
import { ListsRepository } from './lists.repository.js';
import {
  changeMembership,
  isFrozen,
  newMembership,
  type MembershipState,
  type WritableStatus,
} from './membership.rules.js';
import { MembershipErrors, type MembershipRow } from './membership.schema.js';
import { MembershipsRepository } from './memberships.repository.js';

interface Place {
  accountId: string;
  listId: string;
  idOrEmail: string;
}

/** `PUT …/lists/{id}/contacts/{id_or_email}`: adds an existing contact to the list, or changes its membership. */
@Injectable()
export class PutMembership {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lists: ListsRepository,
    private readonly memberships: MembershipsRepository,
  ) {}

  /** @throws ApiError 404, or 409 for a membership that ended by a complaint */
  execute(place: Place & { status: WritableStatus | undefined }): Promise<MembershipRow> {
    const { accountId, listId, idOrEmail, status } = place;
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      await this.lists.hold(tx, accountId, listId);
      const contact = await findListedContact(tx, { accountId, idOrEmail }, 'for share');
      const now = new Date();
      const row = {
        list_id: listId,
        contact_id: contact.id,
        email: contact.email,
        ...newMembership(status, now),
        created_at: now,
        updated_at: now,
      };
      return (await inserted(tx, accountId, row)) ? row : this.change(tx, row, status);
    });
  }

  /** Changes an existing membership, which cannot be removed meanwhile: a removal locks the contact exclusively. */
  private async change(
    tx: EntityManager,
    { list_id, contact_id, email, updated_at: now }: MembershipRow,
    status: WritableStatus | undefined,
  ): Promise<MembershipRow> {
    const held = await this.memberships.lock(tx, list_id, { id: contact_id, email });
    if (!held || isFrozen(held)) throw MembershipErrors.frozen();
    const changed = changeMembership(held, status, now);
    if (!changed) return held;
    await tx.query(
      `update memberships set subscription_status = $3, subscribed_at = $4, unsubscribed_at = $5, updated_at = $6
        where list_id = $1 and contact_id = $2`,
      [list_id, contact_id, ...valuesOf(changed), now],
    );
    return { ...held, ...changed, updated_at: now };
  }
}

const valuesOf = ({ subscription_status, subscribed_at, unsubscribed_at }: MembershipState) => [
  subscription_status,
  subscribed_at,
  unsubscribed_at,
];

async function inserted(tx: EntityManager, accountId: string, row: MembershipRow): Promise<boolean> {
  const rows: unknown[] = await tx.query(
    `insert into memberships (list_id, contact_id, account_id, subscription_status, subscribed_at, unsubscribed_at,
       created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict do nothing returning list_id`,
    [row.list_id, row.contact_id, accountId, ...valuesOf(row), row.created_at],
  );
  return rows.length > 0;
}

/** `DELETE …/lists/{id}/contacts/{id_or_email}`: the record of an unsubscribe is deleted with the row. */
@Injectable()
export class RemoveMembership {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lists: ListsRepository,
    private readonly memberships: MembershipsRepository,
  ) {}

  /** @returns the contact's id; throws ApiError 404, or 409 for a membership that ended by a complaint */
  execute({ accountId, listId, idOrEmail }: Place): Promise<string> {
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      await this.lists.hold(tx, accountId, listId);
      // exclusive, so that a transaction with a shared lock on the contact can rely on the membership
      const contact = await findListedContact(tx, { accountId, idOrEmail }, 'for no key update');
      const held = await this.memberships.lock(tx, listId, contact);
      if (!held) throw MembershipErrors.notOnList();
      if (isFrozen(held)) throw MembershipErrors.frozen();
      await tx.query('delete from memberships where list_id = $1 and contact_id = $2', [listId, contact.id]);
      return contact.id;
    });
  }
}

import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import { deletedAccounts } from '../account-changes/deleted-accounts.js';
import type { EffectiveOutcome } from '../message-status/delivery-outcomes.rules.js';
import { AddSuppressions } from '../suppressions/add-suppressions.js';
import { SuppressionsRepository } from '../suppressions/suppressions.repository.js';
import type { SuppressionCause } from '../suppressions/suppression.rules.js';
import {
  planSuppressions,
  thirdTrouble,
  TROUBLES,
  type RecipientTrouble,
} from './automatic-suppressions.rules.js';

const COLUMNS = {
  account_id: 'uuid',
  domain: 'text',
  email: 'text',
  message_id: 'uuid',
  weight: 'text',
} as const;

/** Suppresses recipients with unreachable mailboxes (spec 2-messages §15.3). */
@Injectable()
export class SuppressRecipients {
  constructor(
    private readonly addSuppressions: AddSuppressions,
    private readonly suppressions: SuppressionsRepository,
  ) {}

  /**
   * @param tx of the consumer, which has marked the outcomes as handled; it waits for the suppression lists of their
   *   accounts, so this is the last step. A batch without bad outcomes costs no statement.
   * @param outcomes that changed the status of their message
   */
  async execute(tx: EntityManager, outcomes: readonly EffectiveOutcome[]): Promise<void> {
    const now = new Date();
    const { causes, counted } = planSuppressions(outcomes, now);
    if (causes.length + counted.length === 0) return;
    const accounts = [...causes, ...counted].map(({ accountId }) => accountId);
    const deleted = await deletedAccounts(tx, accounts);
    const present = <Of extends { accountId: AccountId }>(list: readonly Of[]) =>
      list.filter(({ accountId }) => !deleted.has(accountId));
    const thirds = await this.count(tx, present(counted), now);
    await this.addSuppressions.execute(tx, [...present(causes), ...thirds]);
  }

  /** @returns the suppressions after the third trouble; their count restarts */
  private async count(
    tx: EntityManager,
    troubles: readonly RecipientTrouble[],
    now: Date,
  ): Promise<SuppressionCause[]> {
    if (troubles.length === 0) return [];
    // two concurrent transactions with one trouble each must not both count two
    await this.suppressions.lock(
      tx,
      troubles.map(({ accountId }) => accountId),
    );
    await insertRows(tx, 'recipient_troubles', COLUMNS, troubles, { onConflict: 'do nothing' });
    const [rows]: [RecipientTrouble[], number] = await tx.query(TAKE_THIRDS, [
      troubles.map(({ accountId }) => accountId),
      troubles.map(({ domain }) => domain),
      troubles.map(({ email }) => email),
    ]);
    return rows.map((row) => thirdTrouble(row, now));
  }
}

const TAKE_THIRDS = `
  delete from recipient_troubles t using (
    select account_id, domain, email, weight from recipient_troubles
      join (select distinct * from unnest($1::uuid[], $2::text[], $3::text[])) as given(account_id, domain, email)
      using (account_id, domain, email)
    where at > now() - interval '${TROUBLES.withinDays} days'
    group by account_id, domain, email, weight having count(*) >= ${TROUBLES.count}) as full_up
  where t.account_id = full_up.account_id and t.domain = full_up.domain and t.email = full_up.email
    and t.weight = full_up.weight
  returning t.account_id as "accountId", t.domain, t.email, t.message_id as "messageId", t.weight`;

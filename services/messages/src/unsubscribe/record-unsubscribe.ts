import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountId } from '@postmesh/contracts';
import { GroupCommit } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { Unsubscriber, type Subscription, type UnsubscribeLink } from '@postmesh/public-links';
import { LOGGER } from '@postmesh/service-host';
import { deletedAccounts } from '../account-changes/deleted-accounts.js';
import { AddSuppressions } from '../suppressions/add-suppressions.js';
import { PERMANENT, UNSUBSCRIBED, type SuppressionCause } from '../suppressions/suppression.rules.js';
import { SuppressionsRepository } from '../suppressions/suppressions.repository.js';

/** An unsubscribe of a recipient from a sending domain. */
interface Unsubscribe {
  accountId: AccountId;
  domain: string;
  recipient: string;
  messageId: string;
}

// A suppression list is locked for the statements of one group: mailbox providers send their one-click requests in
// bursts, and all of them use one connection.
const GROUPS = { maxWeight: 300, flushers: 1, maxPending: 5_000 };

/**
 * Adds unsubscribed recipients to the suppression list (spec 2-messages §12 rule 5). The token of a link has all facts,
 * so it works after message, domain and account are gone.
 */
@Injectable()
export class RecordUnsubscribe implements Unsubscriber<UnsubscribeLink> {
  readonly kind = 'unsubscribe';
  private readonly group = new GroupCommit<Unsubscribe, boolean>((items) => this.commit(items), GROUPS);

  constructor(
    private readonly dataSource: DataSource,
    private readonly suppressions: AddSuppressions,
    private readonly rows: SuppressionsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async about({ recipient: email, domain }: UnsubscribeLink): Promise<Subscription> {
    return { email, domain };
  }

  async record({ sandbox, ...link }: UnsubscribeLink): Promise<void> {
    // the sandbox writes no suppressions (spec 2-messages §10 rule 4)
    if (sandbox) return;
    const unsubscribe = { ...link, accountId: AccountId.parse(link.accountId) };
    const recorded = await this.group.add(unsubscribe);
    const { accountId, domain, messageId } = unsubscribe;
    this.logger.info(
      { event: 'recipient.unsubscribed', account_id: accountId, domain, message_id: messageId, recorded },
      'recipient unsubscribed',
    );
  }

  async takeBack({
    sandbox,
    accountId,
    domain,
    recipient: email,
    messageId,
  }: UnsubscribeLink): Promise<boolean> {
    if (sandbox) return true;
    const account = AccountId.parse(accountId);
    const isBack = await this.dataSource.transaction(async (tx) => {
      await this.rows.lock(tx, [account]);
      return this.rows.removeUnsubscribe(tx, account, { domain, email });
    });
    this.logger.info(
      { event: 'recipient.returned', account_id: account, domain, message_id: messageId, is_back: isBack },
      'recipient took the unsubscribe back',
    );
    return isBack;
  }

  /** @returns for each whether its account exists */
  private async commit(items: readonly Unsubscribe[]): Promise<boolean[]> {
    const createdAt = new Date();
    return this.dataSource.transaction(async (tx) => {
      const accountIds = items.map(({ accountId }) => accountId);
      const deleted = await deletedAccounts(tx, accountIds);
      const present = items.filter(({ accountId }) => !deleted.has(accountId));
      const causes = present.map((item) => causeOf(item, createdAt));
      await this.suppressions.execute(tx, causes);
      return items.map(({ accountId }) => !deleted.has(accountId));
    });
  }
}

/** After the domain is deleted the row remains: it applies again when the domain comes back. */
const causeOf = (
  { accountId, domain, recipient, messageId }: Unsubscribe,
  createdAt: Date,
): SuppressionCause => ({
  accountId,
  messageId,
  domain,
  email: recipient,
  reason: UNSUBSCRIBED,
  protected: true,
  source: 'recipient',
  createdAt,
  expiresAt: PERMANENT,
});

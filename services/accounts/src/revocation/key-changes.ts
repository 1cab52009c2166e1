import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Signal } from '@postmesh/concurrency';
import type { AccountId, ApiKeyId, SessionId, SmtpCredentialId } from '@postmesh/contracts';
import { Notifications } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { databaseUrlOf, LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';

export interface ChangedKeys {
  /** ids of API keys, SMTP credentials and sessions to drop from caches */
  keyIds?: readonly (ApiKeyId | SmtpCredentialId | SessionId)[];
  /** accounts whose keys, credentials and sessions are all to be dropped */
  accountIds?: readonly AccountId[];
}

const CHANNEL = 'accounts_key_changes';
// Gateways poll every second; one that missed more changes drops everything instead.
const MAX_KEPT_CHANGES = 10_000;

/** The log of changed keys, which gateways have to look up again. */
@Injectable()
export class KeyChanges {
  /**
   * Records a change in its transaction. To be called last: until the commit every other change and every
   * cache lease waits for this one.
   * @returns the revision to wait for with `CacheLeases.settled` before the response to the change
   */
  async record(manager: EntityManager, changed: ChangedKeys): Promise<number> {
    const [rows]: [{ revision: string }[], number] = await manager.query(
      'update key_revision set revision = revision + 1 returning revision',
    );
    const revision = Number(rows[0]?.revision);
    await manager.query(
      'insert into key_changes (revision, key_ids, account_ids) values ($1, $2::uuid[], $3::uuid[])',
      [revision, changed.keyIds ?? [], changed.accountIds ?? []],
    );
    await manager.query('delete from key_changes where revision <= $1', [revision - MAX_KEPT_CHANGES]);
    await manager.query('select pg_notify($1, $2)', [CHANNEL, String(revision)]);
    return revision;
  }

  /** The newest committed revision, for `CacheLeases.settled`. */
  async latest(manager: EntityManager): Promise<number> {
    const [row]: { revision: string }[] = await manager.query('select revision from key_revision');
    return Number(row?.revision);
  }
}

/**
 * Listens for committed key changes of all replicas (NOTIFY). While the connection is lost, gateways get the
 * changes with their next poll instead.
 */
@Injectable()
export class KeyChangeFeed implements OnApplicationBootstrap, OnModuleDestroy {
  /** raised after each change */
  readonly changes = new Signal();
  private readonly notifications: Notifications;

  constructor(@Inject(SETTINGS) settings: Settings, @Inject(LOGGER) logger: Logger) {
    this.notifications = new Notifications({
      url: databaseUrlOf(settings, 'accounts'),
      channel: CHANNEL,
      applicationName: 'postmesh-accounts-key-changes',
      logger,
      onNotification: () => this.changes.raise(),
      // a notification may have been lost while the connection was down
      onConnected: () => this.changes.raise(),
    });
  }

  onApplicationBootstrap(): Promise<void> {
    return this.notifications.start();
  }

  async onModuleDestroy(): Promise<void> {
    // open requests get their response now, so that the stop does not wait for them
    this.changes.close();
    await this.notifications.stop();
  }
}

import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Notifications } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { databaseUrlOf, LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { PreparedMessages } from './prepared-messages.js';
import { SigningDirectory } from './signing-directory.js';

const CHANNEL = 'delivery_worker_domain_changes';

/**
 * Every worker process drops its cache entry of a domain that changed, though only one of them consumes the event.
 * While the connection is lost an entry expires by its age alone: later, but always.
 */
@Injectable()
export class DomainChangeFeed implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly notifications: Notifications;

  constructor(
    private readonly signers: SigningDirectory,
    private readonly messages: PreparedMessages,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.notifications = new Notifications({
      url: databaseUrlOf(settings, 'delivery-worker'),
      channel: CHANNEL,
      applicationName: 'postmesh-delivery-worker-domain-changes',
      logger,
      onNotification: (domainId) => this.forget(domainId),
      onConnected: () => this.forgetAll(),
    });
  }

  onApplicationBootstrap(): Promise<void> {
    return this.notifications.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.notifications.stop();
  }

  /** Notifies the workers with the commit. */
  async announce(tx: EntityManager, domainIds: readonly string[]): Promise<void> {
    await tx.query(`select pg_notify('${CHANNEL}', id) from unnest($1::text[]) as changed(id)`, [domainIds]);
  }

  forget(domainId: string): void {
    this.signers.forget(domainId);
    this.messages.forgetDomain(domainId);
  }

  private forgetAll(): void {
    this.signers.forgetAll();
    this.messages.forgetAll();
  }
}

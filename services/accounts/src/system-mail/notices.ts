import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Inbox } from '@postmesh/outbox';
import { AccountPeopleFinder } from './account-people.js';
import type { SystemMessage } from './message.rules.js';
import { SystemMail } from './system-mail.js';

export interface AccountEvent {
  id: string;
  data: { account_id: string };
}

/** Tells the people of accounts what other services say has happened, once per event. */
@Injectable()
export class Notices {
  constructor(
    private readonly dataSource: DataSource,
    private readonly inbox: Inbox,
    private readonly people: AccountPeopleFinder,
    private readonly mail: SystemMail,
  ) {}

  /**
   * @param consumer names the receipt of the events
   * @param write the messages for what happened to one account
   */
  async send<E extends AccountEvent>(
    consumer: string,
    events: readonly E[],
    write: (accountName: string, events: readonly E[]) => readonly SystemMessage[],
  ): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const fresh = await this.inbox.admit(manager, consumer, events);
      if (fresh.length > 0) await this.sendFresh(manager, fresh, write);
    });
  }

  private async sendFresh<E extends AccountEvent>(
    manager: EntityManager,
    fresh: readonly E[],
    write: (accountName: string, events: readonly E[]) => readonly SystemMessage[],
  ): Promise<void> {
    const accountIds = [...new Set(fresh.map((event) => event.data.account_id))];
    const accounts = await this.people.find(manager, accountIds, 'owner-and-members');
    for (const account of accounts) {
      const happened = fresh.filter((event) => event.data.account_id === account.id);
      for (const message of write(account.name, happened)) {
        await this.mail.send(manager, account.id, message, account.people);
      }
    }
  }
}

import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
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
    private readonly people: AccountPeopleFinder,
    private readonly mail: SystemMail,
  ) {}

  /**
   * @param write the messages for what happened to one account
   */
  async send<E extends AccountEvent>(
    tx: EntityManager,
    events: readonly E[],
    write: (accountName: string, events: readonly E[]) => readonly SystemMessage[],
  ): Promise<void> {
    const accountIds = [...new Set(events.map((event) => event.data.account_id))];
    const accounts = await this.people.find(tx, accountIds, 'owner-and-members');
    for (const account of accounts) {
      const happened = events.filter((event) => event.data.account_id === account.id);
      for (const message of write(account.name, happened)) {
        await this.mail.send(tx, account.id, message, account.people);
      }
    }
  }
}

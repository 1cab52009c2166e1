import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { SystemMessage } from './message.rules.js';
import { AccountPeople, SystemMail } from './system-mail.js';

interface AccountEvent {
  data: { account_id: string };
}

/** Sends mail about events of other services to the members of accounts. */
@Injectable()
export class Notices {
  constructor(
    private readonly people: AccountPeople,
    private readonly mail: SystemMail,
  ) {}

  /** @param write makes the messages for the events of one account */
  async send<E extends AccountEvent>(
    manager: EntityManager,
    events: readonly E[],
    write: (accountName: string, events: readonly E[]) => readonly SystemMessage[],
  ): Promise<void> {
    const accountIds = [...new Set(events.map((event) => event.data.account_id))];
    const accounts = await this.people.find(manager, accountIds, 'owner-and-members');
    for (const account of accounts) {
      const happened = events.filter((event) => event.data.account_id === account.id);
      for (const message of write(account.name, happened)) await this.mail.send(manager, account, message);
    }
  }
}

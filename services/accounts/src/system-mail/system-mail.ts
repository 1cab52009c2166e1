import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId, SystemMailRequested } from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import { oneLine, renderMessage, type SystemMessage } from './message.rules.js';

export interface Addressee {
  email: string;
  name: string;
}

// The most that one request for mail may name.
const ADDRESSEES_AT_ONCE = 100;

/** Sends mail of Postmesh itself: the messages service accepts it like any other message. */
@Injectable()
export class SystemMail {
  constructor(private readonly outbox: Outbox) {}

  /**
   * Asks for a message in the transaction of what it tells of, so that there is never one without the other.
   * @param addressees each gets a message of their own
   */
  async send(
    manager: EntityManager,
    accountId: string,
    message: SystemMessage,
    addressees: readonly Addressee[],
  ): Promise<void> {
    const rendered = renderMessage(message);
    const events = chunks(addressees).map((recipients) =>
      SystemMailRequested.make(
        {
          mail_id: newId(),
          account_id: accountId,
          kind: message.kind,
          recipients: recipients.map(({ email, name }) => ({ email, name: oneLine(name) })),
          ...rendered,
        },
        { account_id: accountId },
      ),
    );
    await this.outbox.add(manager, events);
  }
}

function chunks(addressees: readonly Addressee[]): Addressee[][] {
  const count = Math.ceil(addressees.length / ADDRESSEES_AT_ONCE);
  return Array.from({ length: count }, (_, at) =>
    addressees.slice(at * ADDRESSEES_AT_ONCE, (at + 1) * ADDRESSEES_AT_ONCE),
  );
}

import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { BlobStore } from '@postmesh/blob-store';
import { newId, type AccountId } from '@postmesh/contracts';
import { SystemMailRequested } from '@postmesh/accounts-contract';
import { Outbox } from '@postmesh/events';
import { BLOB_STORE } from '@postmesh/service-host';
import { oneLine, renderMessage, type SystemMessage } from './message.rules.js';

interface Addressee {
  email: string;
  name: string;
}

/** An account with the recipients of a message. */
export interface AddressedAccount {
  id: AccountId;
  name: string;
  /** each user once, oldest first */
  people: readonly Addressee[];
}

export type Circle = 'owner-and-administrators' | 'owner-and-members';

const PEOPLE = `select account.id, account.name,
    (select json_agg(json_build_object('email', u.email, 'name', u.name) order by u.created_at, u.id)
     from users u
     where u.id = account.owner_id or u.id in (
       select member.user_id from members member
       where member.account_id = account.id and ($2 or member.role = 'Administrator'))) as people
  from accounts account
  where account.id = any($1::uuid[]) and account.deleted_at is null`;

/** Finds the recipients of an account's notices. The owner is always one, member or not (spec 1-platform §10.3). */
@Injectable()
export class AccountPeople {
  /** One statement for all accounts; those that are deleted or unknown are left out. */
  find(manager: EntityManager, accountIds: readonly string[], circle: Circle): Promise<AddressedAccount[]> {
    return manager.query(PEOPLE, [accountIds, circle === 'owner-and-members']);
  }
}

// Limit of recipients of one event.
const MAX_ADDRESSEES = 100;

/** Sends mail of Postmesh itself: the messages service accepts it like any other message. */
@Injectable()
export class SystemMail {
  constructor(
    private readonly outbox: Outbox,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /**
   * Requests a message in the transaction of its cause, so that there is never one without the other. The
   * event names the content; where the blob store cannot join the transaction, a rollback leaves an orphaned
   * content.
   * @param account each of its recipients gets a message
   */
  async send(
    manager: EntityManager,
    { id: accountId, people }: Omit<AddressedAccount, 'name'>,
    message: SystemMessage,
  ): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(renderMessage(message)));
    const mails = chunksOf(people).map((recipients) => ({ recipients, content: { id: newId(), bytes } }));
    await this.blobs.put(
      mails.map(({ content }) => content),
      manager,
    );
    const events = mails.map(({ recipients, content }) =>
      SystemMailRequested.make(
        {
          mail_id: newId(),
          account_id: accountId,
          kind: message.kind,
          recipients: recipients.map(({ email, name }) => ({ email, name: oneLine(name) })),
          content_id: content.id,
        },
        { account_id: accountId },
      ),
    );
    await this.outbox.add(manager, events);
  }
}

function chunksOf(people: readonly Addressee[]): Addressee[][] {
  const count = Math.ceil(people.length / MAX_ADDRESSEES);
  return Array.from({ length: count }, (_, at) =>
    people.slice(at * MAX_ADDRESSEES, (at + 1) * MAX_ADDRESSEES),
  );
}

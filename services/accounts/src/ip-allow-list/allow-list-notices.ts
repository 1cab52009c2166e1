import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountPeopleFinder } from '../system-mail/account-people.js';
import type { SystemMessage } from '../system-mail/message.rules.js';
import { SystemMail } from '../system-mail/system-mail.js';

export interface RestrictedKey {
  accountId: string;
  label: string;
  publicKey: string;
}

/** Tells an account's owner and Administrators that a key's IP allow list is another (spec 1-platform §3 rule 8). */
@Injectable()
export class AllowListNotices {
  constructor(
    private readonly people: AccountPeopleFinder,
    private readonly mail: SystemMail,
  ) {}

  /** In the transaction of the change. */
  async send(manager: EntityManager, key: RestrictedKey, deed: 'set' | 'changed'): Promise<void> {
    const [account] = await this.people.find(manager, [key.accountId], 'owner-and-administrators');
    if (!account) return;
    await this.mail.send(manager, key.accountId, allowListNotice(account.name, key, deed), account.people);
  }
}

/** Says neither the secret nor the list: a mailbox is not the place for them. */
function allowListNotice(accountName: string, key: RestrictedKey, deed: 'set' | 'changed'): SystemMessage {
  const made = deed === 'set';
  return {
    kind: 'ip-allow-list-changed',
    subject: `The IP allow list of an API key of ${accountName} was ${deed}`,
    opening: [
      made
        ? 'An API key was made that can be used from some IP addresses only.'
        : 'The IP addresses from which an API key can be used were changed.',
    ],
    facts: [
      ['Account', accountName],
      ['API key', key.label],
      ['Public key', key.publicKey],
    ],
    closing: ['If you did not expect this, look at the keys of the account and at who may manage them.'],
  };
}

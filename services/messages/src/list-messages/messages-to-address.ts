import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiError, type AccountId } from '@postmesh/contracts';
import { MessagesRepository, type StoredMessage } from '../read-message/messages.repository.js';
import { walkOf } from './list-messages.js';
import { readMessageFilters } from './message-filters.rules.js';
import { MessageSearch } from './message-search.js';

// One search per account.
const MAX_ACCOUNTS = 100;
const SHOWN = 20;

/** The newest messages to an address, for operators; without messages of campaigns. */
@Injectable()
export class MessagesToAddress {
  constructor(
    private readonly dataSource: DataSource,
    private readonly search: MessageSearch,
    private readonly messages: MessagesRepository,
  ) {}

  /**
   * @param accountId restricts it to this account
   * @returns newest first, at most 20
   * @throws ApiError 400 where more than 100 accounts have messages and none is given; 429 like a search
   */
  async find(recipient: string, accountId?: AccountId): Promise<StoredMessage[]> {
    const filters = readMessageFilters({ recipient });
    const ids: string[] = [];
    for (const account of accountId === undefined ? await this.accounts() : [accountId]) {
      const walk = walkOf(account, filters, { limit: SHOWN });
      const [found = []] = await this.search.find(account, [{ walk, limit: SHOWN }]);
      ids.push(...found);
    }
    const messages = await this.messages.findAll(ids);
    return messages.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).slice(0, SHOWN);
  }

  /** One probe of the list's index per account, which skips the account's messages. */
  private async accounts(): Promise<string[]> {
    const rows: { account_id: string }[] = await this.dataSource.query(ACCOUNTS, [MAX_ACCOUNTS + 1]);
    if (rows.length > MAX_ACCOUNTS) {
      throw new ApiError(400, `more than ${MAX_ACCOUNTS} accounts have messages: name one as account`);
    }
    return rows.map(({ account_id: id }) => id);
  }
}

const NEXT = 'select account_id from messages where campaign_id is null';
const ACCOUNTS = `
  with recursive found as (
    (${NEXT} order by account_id limit 1)
    union all
    select (${NEXT} and account_id > found.account_id order by account_id limit 1)
    from found where found.account_id is not null)
  select account_id from found where account_id is not null limit $1`;

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MessageReceived } from '@postmesh/messages-contract';
import { GroupCommit, serverOf } from '@postmesh/database';
import { Outbox } from '@postmesh/events';
import { deletedAccounts } from '../account-changes/deleted-accounts.js';
import type { InboundRecord } from './inbound-records.rules.js';
import { InboundStore } from './inbound-store.js';

// As in accept: a group takes some ten milliseconds of Postgres.
const MAX_GROUP_WEIGHT = 1_000;
const MAX_PENDING = 10_000;
const CONTENT_UNIT_BYTES = 65_536;

/** The records of one message, one per owner: stored together or not at all. */
type Pending = readonly InboundRecord[];

const weightOf = (records: Pending): number =>
  records.reduce(
    (sum, { messages, content }) =>
      sum + 3 + messages.length + Math.ceil(content.bytes.length / CONTENT_UNIT_BYTES),
    0,
  );

/** Makes inbound messages durable: concurrent messages share one commit for content, rows and events. */
@Injectable()
export class InboundWriter {
  private readonly group: GroupCommit<Pending, InboundRecord[]>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: InboundStore,
    private readonly outbox: Outbox,
  ) {
    this.group = new GroupCommit((all) => this.commit(all), {
      maxWeight: MAX_GROUP_WEIGHT,
      maxPending: MAX_PENDING,
      flushers: 2,
      weightOf,
      server: serverOf(dataSource),
    });
  }

  /**
   * Resolves after the commit: from then on Postmesh is responsible for the message.
   * @returns the stored records; none for owners that were deleted meanwhile
   */
  async write(records: Pending): Promise<readonly InboundRecord[]> {
    await this.store.putContents(records);
    const stored = await this.group.add(records);
    const left = records.filter((record) => !stored.includes(record));
    if (left.length > 0) await this.store.dropContents(left);
    return stored;
  }

  /** The events are the last statement: on the embedded bus, commits of one stream are serialised from there on. */
  private async commit(all: readonly Pending[]): Promise<InboundRecord[][]> {
    return this.dataSource.transaction(async (tx) => {
      const given = all.flat();
      const deleted = await deletedAccounts(
        tx,
        given.map(({ row }) => row.accountId),
      );
      const stored = given.filter(({ row }) => !deleted.has(row.accountId));
      await this.store.insert(tx, stored);
      await this.outbox.add(tx, stored.map(receivedEvent));
      const isStored = new Set(stored);
      return all.map((records) => records.filter((record) => isStored.has(record)));
    });
  }
}

/** Its id is that of the record: published twice, it is one event to every consumer with an inbox. */
function receivedEvent({ row, messages }: InboundRecord) {
  const event = MessageReceived.make(
    {
      receipt_id: row.id,
      domain_id: row.domainId,
      domain: row.domain,
      sender: row.sender,
      subject: row.subject,
      message_id_header: row.messageIdHeader,
      size: row.size,
      received_at: row.createdAt.toISOString(),
      recipients: messages.map(({ id, recipient }) => ({ id, email: recipient })),
    },
    { account_id: row.accountId, occurred_at: row.createdAt },
  );
  return { ...event, id: row.id };
}

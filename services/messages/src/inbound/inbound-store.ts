import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { insertRows } from '@postmesh/database';
import { MESSAGE_COLUMNS, SEND_REQUEST_COLUMNS, SendRequestStore } from '../accept/send-request-store.js';
import type { InboundRecord } from './inbound-records.rules.js';

const INBOUND_COLUMNS = {
  ...MESSAGE_COLUMNS,
  is_bounce_notification: 'bool',
  reference_seq: 'bigint',
} as const;

/**
 * Writes inbound messages, including delivery reports: content and rows. The caller adds the rest of the transaction,
 * mainly the event.
 */
@Injectable()
export class InboundStore {
  constructor(private readonly requests: SendRequestStore) {}

  /** Before the transaction: stores contents that cannot be part of it, or would delay other requests in it. */
  async putContents(records: readonly InboundRecord[]): Promise<void> {
    await this.requests.putContents(records);
  }

  /**
   * After the transaction: deletes such contents of messages that were not stored. Not called when the outcome is
   * unknown.
   */
  async dropContents(records: readonly InboundRecord[]): Promise<void> {
    await this.requests.dropContents(records);
  }

  /** @param tx the transaction, begun after `putContents` */
  async insert(tx: EntityManager, records: readonly InboundRecord[]): Promise<void> {
    if (records.length === 0) return;
    await this.requests.joinContents(tx, records);
    const rows = records.map(({ row }) => row);
    await insertRows(tx, 'send_requests', SEND_REQUEST_COLUMNS, rows);
    const messages = records.flatMap((record) => record.messages);
    await insertRows(tx, 'messages', INBOUND_COLUMNS, messages);
  }
}

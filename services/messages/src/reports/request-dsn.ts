import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SYSTEM_ACCOUNT_ID } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import type { EffectiveOutcome } from '../message-status/delivery-outcomes.rules.js';

const COLUMNS = { message_id: 'uuid', account_id: 'uuid', domain: 'text', ended_at: 'timestamptz' } as const;

/**
 * Requests a report to the sender about a message that bounced or failed (spec 2-messages §15.6). The domain's settings
 * are read when the report is sent, because a transaction must not wait for another service.
 */
@Injectable()
export class RequestDsn {
  /**
   * @param tx of the outcomes: a message ends once, so its request is written once
   * @param outcomes that changed the status of their message
   * @returns whether a request was written
   */
  async request(tx: EntityManager, outcomes: readonly EffectiveOutcome[]): Promise<boolean> {
    const rows = outcomes.flatMap(({ accountId, data }) => {
      const isOver = data.outcome === 'bounced' || data.outcome === 'failed';
      // no report is sent about our own mail, including reports
      if (!isOver || data.sandbox || accountId === null || accountId === SYSTEM_ACCOUNT_ID) return [];
      const { message_id: messageId, domain, finished_at: endedAt } = data;
      return [{ messageId, accountId, domain, endedAt }];
    });
    if (rows.length === 0) return false;
    await insertRows(tx, 'dsn_requests', COLUMNS, rows, { onConflict: 'do nothing' });
    return true;
  }
}

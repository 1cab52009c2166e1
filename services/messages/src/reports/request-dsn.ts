import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SYSTEM_ACCOUNT_ID } from '@postmesh/contracts';
import { atCommit, insertRows } from '@postmesh/database';
import type { EffectiveOutcome } from '../message-status/delivery-outcomes.rules.js';

const COLUMNS = { message_id: 'uuid', account_id: 'uuid', domain: 'text', ended_at: 'timestamptz' } as const;

/**
 * Notes that whoever sends from a domain may want a report about a message that bounced or failed
 * (spec 2-messages §15.6). Whether, and where it goes, is asked when it is sent: a transaction asks nobody.
 */
@Injectable()
export class RequestDsn {
  /**
   * @param tx of the outcomes: a message ends once, so it is noted once
   * @param outcomes that changed the status of their message
   * @returns whether there is anything to send
   */
  async request(tx: EntityManager, outcomes: readonly EffectiveOutcome[]): Promise<boolean> {
    const rows = outcomes.flatMap(({ accountId, data }) => {
      const isOver = data.outcome === 'bounced' || data.outcome === 'failed';
      // of our own mail, reports among it, nobody wants to be told
      if (!isOver || data.sandbox || accountId === null || accountId === SYSTEM_ACCOUNT_ID) return [];
      const { message_id: messageId, domain, finished_at: endedAt } = data;
      return [{ messageId, accountId, domain, endedAt }];
    });
    if (rows.length === 0) return false;
    await insertRows(atCommit(tx), 'dsn_requests', COLUMNS, rows, { onConflict: 'do nothing' });
    return true;
  }
}

import type { EntityManager } from 'typeorm';
import { atCommit, insertRows } from '@postmesh/database';
import type { StatisticsFact } from './statistics-facts.rules.js';

const FACT_COLUMNS = {
  account_id: 'uuid',
  domain: 'text',
  recipient_domain: 'text',
  tags: 'text[]',
  at: 'timestamptz',
  figure: 'text',
  classification: 'text',
  count: 'int',
  delivery_ms: 'bigint',
  campaign: 'bool',
} as const;

/** In the transaction of what they count, so that they are as true as it: one statement, however many. */
export async function recordFacts(tx: EntityManager, facts: readonly StatisticsFact[]): Promise<void> {
  await insertRows(atCommit(tx), 'statistics_facts', FACT_COLUMNS, facts);
}

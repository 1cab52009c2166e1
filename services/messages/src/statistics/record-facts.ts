import type { EntityManager } from 'typeorm';
import { insertRows } from '@postmesh/database';
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
  template_id: 'uuid',
  provider: 'text',
} as const;

/** Inserts facts in the transaction of the changes that they count, in one statement for any number. */
export async function recordFacts(tx: EntityManager, facts: readonly StatisticsFact[]): Promise<void> {
  await insertRows(tx, 'statistics_facts', FACT_COLUMNS, facts);
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The indexes by which segments are counted (decision 180), made while others write. The migration before made the first
 * two, and `memberships_confirmed`, within its transaction; nothing is left to do for the two where that one ran.
 */
export class IndexSegments1764700000020 implements MigrationInterface {
  name = 'IndexSegments1764700000020';
  // an index that blocks no writes is made outside of a transaction
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('set statement_timeout = 0');
    try {
      for (const [name, on] of Object.entries(INDEXES)) await make(runner, name, on);
      await runner.query(`${UNLIMITED} drop index concurrently if exists memberships_confirmed`);
    } finally {
      await runner.query('reset statement_timeout');
    }
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

// By these words the client, too, waits as long as it takes (`timedClient`).
const UNLIMITED = '/* without statement_timeout */';

const INDEXES = {
  // the contacts of an account that opened or clicked since a day, without their rows
  campaign_recipients_openers: `campaign_recipients (account_id, opened_at) include (contact_id)
    where opened_at is not null`,
  campaign_recipients_clickers: `campaign_recipients (account_id, clicked_at) include (contact_id)
    where clicked_at is not null`,
  // the contacts of an account that are confirmed on a list of it, in their order, without their rows
  memberships_contacts: `memberships (account_id, contact_id) include (list_id)
    where subscription_status = 'confirmed'`,
};

/** A try that was interrupted has left an index that is not valid. */
async function make(runner: QueryRunner, name: string, on: string): Promise<void> {
  const [left]: unknown[] = await runner.query(
    `select from pg_index where indexrelid = to_regclass($1) and not indisvalid`,
    [name],
  );
  if (left) await runner.query(`${UNLIMITED} drop index concurrently ${name}`);
  await runner.query(`${UNLIMITED} create index concurrently if not exists ${name} on ${on}`);
}

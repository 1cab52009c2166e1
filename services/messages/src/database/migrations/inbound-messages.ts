import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Inbound messages are in the tables of all messages (decision 48): a send request of kind `inbound` per owner, and a
 * message per envelope recipient. Their stored status is `Inbound`, shown as `Received`, so that no delivery, cancel or
 * republish takes one for outbound mail, in this version and the previous one.
 */
export class InboundMessages1764100001040 implements MigrationInterface {
  name = 'InboundMessages1764100001040';

  async up(runner: QueryRunner): Promise<void> {
    // every row satisfies the wider list, so no row is checked, and the lock is short
    await runner.query(`alter table send_requests drop constraint if exists send_requests_kind_check,
      add constraint send_requests_kind_check
        check (kind in ('conversation', 'regular', 'template', 'smtp', 'inbound', 'report')) not valid`);
    await runner.query(`alter table messages add column is_bounce_notification boolean not null default false,
      add column reference_seq bigint`);
    // A Message-ID from another system: as a text it could exceed the size of an index entry.
    await runner.query(
      `create index send_requests_of_inbound_header on send_requests (md5(message_id_header)) where kind = 'inbound'`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

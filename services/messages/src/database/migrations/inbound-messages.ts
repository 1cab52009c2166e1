import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Inbound messages stand in the tables of all messages (decision 48): a send request of kind `inbound` per owner, and a
 * message per envelope recipient. Their stored status is `Inbound`, which is shown as `Received`: nothing that delivers,
 * cancels or publishes again takes one for mail that is still to go out, neither here nor in the version before.
 */
export class InboundMessages1764100001040 implements MigrationInterface {
  name = 'InboundMessages1764100001040';

  async up(runner: QueryRunner): Promise<void> {
    // every row fits the wider list, so none is looked at, and nobody waits
    await runner.query(`alter table send_requests drop constraint if exists send_requests_kind_check,
      add constraint send_requests_kind_check
        check (kind in ('conversation', 'regular', 'template', 'smtp', 'inbound', 'report')) not valid`);
    await runner.query(`alter table messages add column is_bounce_notification boolean not null default false,
      add column reference_seq bigint`);
    // A Message-ID of somebody else: as a text it could be longer than an index entry may be.
    await runner.query(
      `create index send_requests_of_inbound_header on send_requests (md5(message_id_header)) where kind = 'inbound'`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

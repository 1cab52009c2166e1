import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { BlobStore } from '@postmesh/blob-store';
import { Outbox } from '@postmesh/outbox';
import { BLOB_STORE } from '@postmesh/service-host';
import type { MessageRow, SendRequest, SendRequestRow } from './send-request.rules.js';

/** Writes send requests with all that belongs to them: content, rows, event. */
@Injectable()
export class SendRequestStore {
  constructor(
    private readonly outbox: Outbox,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /** Before the transaction: contents that cannot be part of it. */
  async putContents(sendRequests: readonly SendRequest[]): Promise<void> {
    if (!this.blobs.transactional) await this.blobs.put(sendRequests.map(({ content }) => content));
  }

  /** After the transaction: such contents of what was not stored in the end. */
  async dropContents(sendRequests: readonly SendRequest[]): Promise<void> {
    if (this.blobs.transactional || sendRequests.length === 0) return;
    await this.blobs.delete(sendRequests.map(({ content }) => content.id));
  }

  /** @param manager the transaction; `putContents` went before it */
  async insert(manager: EntityManager, sendRequests: readonly SendRequest[]): Promise<void> {
    if (sendRequests.length === 0) return;
    if (this.blobs.transactional) {
      await this.blobs.put(
        sendRequests.map(({ content }) => content),
        manager,
      );
    }
    await insertSendRequests(
      manager,
      sendRequests.map(({ row }) => row),
    );
    await insertMessages(
      manager,
      sendRequests.flatMap(({ messages }) => messages),
    );
    await this.outbox.add(
      manager,
      sendRequests.map(({ event }) => event),
    );
  }
}

async function insertSendRequests(manager: EntityManager, rows: readonly SendRequestRow[]): Promise<void> {
  const column = <K extends keyof SendRequestRow>(name: K) => rows.map((row) => row[name]);
  await manager.query(
    `insert into send_requests (id, account_id, kind, domain_id, domain, sender, subject, message_id_header, tags,
       content_id, size, track_opens, track_clicks, sandbox, first_attempt, expires, created_at, hide_when_done,
       retain_data_until, retain_metadata_until)
     select id, account_id, kind, domain_id, domain, sender, subject, message_id_header,
       array(select jsonb_array_elements_text(tags)), content_id, size, track_opens, track_clicks, sandbox,
       first_attempt, expires, created_at, hide_when_done, retain_data_until, retain_metadata_until
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[],
       $9::jsonb[], $10::uuid[], $11::int[], $12::bool[], $13::bool[], $14::text[], $15::timestamptz[],
       $16::timestamptz[], $17::timestamptz[], $18::bool[], $19::timestamptz[], $20::timestamptz[])
       as given(id, account_id, kind, domain_id, domain, sender, subject, message_id_header, tags, content_id, size,
         track_opens, track_clicks, sandbox, first_attempt, expires, created_at, hide_when_done, retain_data_until,
         retain_metadata_until)`,
    [
      column('id'),
      column('account_id'),
      column('kind'),
      column('domain_id'),
      column('domain'),
      column('sender'),
      column('subject'),
      column('message_id_header'),
      rows.map((row) => JSON.stringify(row.tags)),
      column('content_id'),
      column('size'),
      column('track_opens'),
      column('track_clicks'),
      column('sandbox'),
      column('first_attempt'),
      column('expires'),
      column('created_at'),
      column('hide_when_done'),
      column('retain_data_until'),
      column('retain_metadata_until'),
    ],
  );
}

async function insertMessages(manager: EntityManager, rows: readonly MessageRow[]): Promise<void> {
  await manager.query(
    `insert into messages (id, send_request_id, account_id, recipient, recipient_name, status, created_at, updated_at)
     select id, send_request_id, account_id, recipient, name, status, created_at, created_at
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
       as given(id, send_request_id, account_id, recipient, name, status, created_at)`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.send_request_id),
      rows.map((row) => row.account_id),
      rows.map((row) => row.recipient),
      rows.map((row) => row.recipient_name),
      rows.map((row) => row.status),
      rows.map((row) => row.created_at),
    ],
  );
}

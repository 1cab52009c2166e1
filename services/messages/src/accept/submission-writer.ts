import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { BlobStore } from '@postmesh/blob-store';
import type { Answer } from '@postmesh/contracts';
import { GroupCommit } from '@postmesh/database';
import { Idempotency } from '@postmesh/idempotency';
import { Outbox } from '@postmesh/outbox';
import { BLOB_STORE, type ApiCall } from '@postmesh/service-host';
import type { MessageRow, Submission, SubmissionRow } from './submission.rules.js';

export interface Waiting extends Submission {
  call: Pick<ApiCall, 'ended'>;
  answer: Answer;
}

// A group is some ten milliseconds of Postgres: rows count one each, content one per 64 KiB.
const MAX_GROUP_WEIGHT = 1_000;
const CONTENT_UNIT_BYTES = 65_536;

/**
 * Stores accepted requests durably: content, rows, answer and event of all requests that arrived together
 * in one commit (architecture §1, §3.8).
 */
@Injectable()
export class SubmissionWriter {
  private readonly group: GroupCommit<Waiting, void>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly idempotency: Idempotency,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {
    this.group = new GroupCommit((items) => this.commit(items), {
      maxWeight: MAX_GROUP_WEIGHT,
      flushers: 2,
      maxPending: 10_000,
      weightOf: ({ messages, content }) =>
        3 + messages.length + Math.ceil(content.bytes.length / CONTENT_UNIT_BYTES),
    });
  }

  /** Resolves after the commit: from then on the request is a promise. */
  write(waiting: Waiting): Promise<void> {
    return this.group.add(waiting);
  }

  private async commit(items: readonly Waiting[]): Promise<void[]> {
    const contents = items.map(({ content }) => content);
    if (!this.blobs.transactional) await this.blobs.put(contents);
    await this.dataSource.transaction(async (manager) => {
      if (this.blobs.transactional) await this.blobs.put(contents, manager);
      await insertSubmissions(
        manager,
        items.map(({ row }) => row),
      );
      await insertMessages(
        manager,
        items.flatMap(({ messages }) => messages),
      );
      await this.outbox.add(
        manager,
        items.map(({ event }) => event),
      );
      const ended = items.map(({ call, answer }) => call.ended(answer)).filter((one) => one !== undefined);
      if (ended.length > 0) await this.idempotency.completeMany(manager, ended);
    });
    return items.map(() => undefined);
  }
}

async function insertSubmissions(manager: EntityManager, rows: readonly SubmissionRow[]): Promise<void> {
  const column = <K extends keyof SubmissionRow>(name: K) => rows.map((row) => row[name]);
  await manager.query(
    `insert into submissions (id, account_id, kind, domain_id, domain, sender, subject, message_id_header, tags,
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
    `insert into messages (id, submission_id, account_id, recipient, recipient_name, status, created_at, updated_at)
     select id, submission_id, account_id, recipient, name, status, created_at, created_at
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
       as given(id, submission_id, account_id, recipient, name, status, created_at)`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.submission_id),
      rows.map((row) => row.account_id),
      rows.map((row) => row.recipient),
      rows.map((row) => row.recipient_name),
      rows.map((row) => row.status),
      rows.map((row) => row.created_at),
    ],
  );
}

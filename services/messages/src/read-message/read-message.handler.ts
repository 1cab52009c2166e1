import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { BlobStore } from '@postmesh/blob-store';
import {
  apiResponse,
  hasAnyOfFamily,
  hasDomainScope,
  ApiErrors,
  type ApiResponse,
} from '@postmesh/contracts';
import { composeMessage, messageBytes, parseMessage, readStoredContent } from '@postmesh/mail-format';
import { BLOB_STORE, type ApiCall } from '@postmesh/service-host';
import { isTerminal } from '../message-status/message-status.rules.js';
import { readMessageReference } from './message-id.rules.js';
import { toMessageResource, type ReadableContent, type StoredMessage } from './message.view.js';

/** `GET …/messages/{message_id}` (spec 2-messages §2.2). */
@Injectable()
export class ReadMessageHandler {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  async execute(call: ApiCall): Promise<ApiResponse> {
    if (!hasAnyOfFamily(call.principal, 'messages:read')) throw ApiErrors.missingScope();
    const reference = readMessageReference(call.param('message_id'));
    if (!reference) throw ApiErrors.invalidParameter('message_id');
    const message = await this.find(call.accountId, reference.id);
    if (!message || (reference.host !== undefined && reference.host !== message.domain)) {
      throw ApiErrors.notFound('message');
    }
    if (!hasDomainScope(call.principal, 'messages:read', message.domain)) throw ApiErrors.missingScope();
    const now = new Date();
    const content = isReadable(message, now) ? await this.readContent(message) : undefined;
    return apiResponse(200, toMessageResource(message, content, now));
  }

  private async find(accountId: string, id: string): Promise<StoredMessage | undefined> {
    const rows: StoredMessage[] = await this.dataSource.query(
      `select m.*, s.domain_id, s.domain, s.sender, s.subject, s.message_id_header, s.tags, s.template_id,
         s.content_id, s.first_attempt, s.hide_when_done, s.retain_data_until,
         coalesce((select jsonb_agg(jsonb_build_object('time', to_char(a.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'log', a.log, 'status', a.status) order by a.position) from delivery_attempts a where a.message_id = m.id), '[]') as attempts
       from messages m join send_requests s on s.id = m.send_request_id
       where m.id = $1 and m.account_id = $2 and s.retain_metadata_until > now()`,
      [id, accountId],
    );
    return rows[0];
  }

  private async readContent(message: StoredMessage): Promise<ReadableContent | undefined> {
    if (message.content_id === null) return undefined;
    const stored = (await this.blobs.get([message.content_id])).get(message.content_id);
    if (!stored) return undefined;
    const raw = Buffer.concat(messageBytes(await composeMessage(readStoredContent(stored))));
    return { raw: raw.toString('utf8'), parsed: await parseMessage(raw) };
  }
}

/** Content can be read until its retention ends; with 0 days, while the message is being delivered never. */
function isReadable(message: StoredMessage, now: Date): boolean {
  if (message.hide_when_done) return false;
  return message.retain_data_until > now || !isTerminal(message.status);
}

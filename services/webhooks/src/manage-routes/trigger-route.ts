import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newId, type Principal } from '@postmesh/contracts';
import type { RouteEntity } from '../database/route.entity.js';
import { ROUTE } from '../endpoints/endpoint-kinds.js';
import { requireEnabled } from '../endpoints/endpoint.schema.js';
import { Endpoints } from '../endpoints/endpoints.js';
import { CallRequests } from '../request-calls/call-requests.js';
import { ROUTING_TYPE } from '../match-routes/route-calls.rules.js';

/** `POST …/routes/{id}/trigger`: one call with a made-up message, signed and counted like any other (spec 2-messages §21). */
@Injectable()
export class TriggerRoute {
  constructor(
    private readonly dataSource: DataSource,
    private readonly endpoints: Endpoints,
    private readonly requests: CallRequests,
  ) {}

  /** @throws ApiError 403, 404 or 409 */
  async execute({ principal, id }: { principal: Principal; id: string }): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const route = await this.endpoints.hold(tx, ROUTE, { principal, action: 'write', id });
      requireEnabled(ROUTE, route);
      await this.requests.request(tx, [sampleCall(route, new Date())]);
    });
  }
}

function sampleCall(route: RouteEntity, now: Date) {
  const messageId = newId();
  const to = sampleRecipient(route.recipient);
  const occurredAt = now.toISOString();
  return {
    target: route,
    eventType: ROUTING_TYPE,
    body: JSON.stringify({
      type: ROUTING_TYPE,
      timestamp: occurredAt,
      route_id: route.id,
      data: sampleMessage(route, { id: messageId.replaceAll('-', ''), to, date: now.toUTCString() }),
    }),
    route: { message_id: messageId, to, occurred_at: occurredAt },
    accountId: route.account_id,
    trace: null,
  };
}

/** An address that matches the pattern. */
const sampleRecipient = (recipient: string): string =>
  recipient === '' ? 'sample@example.com' : recipient.replaceAll('*', 'sample');

/** The form of spec 2-messages §19.4, with the parts that the route wants. */
function sampleMessage(route: RouteEntity, { id, to, date }: { id: string; to: string; date: string }) {
  const from = 'Sample Sender <sender@example.com>';
  const subject = 'A sample message';
  const messageId = `<${id}@example.com>`;
  return {
    id,
    from,
    reply_to: 'sender@example.com',
    to,
    subject,
    message_id: messageId,
    size: 512,
    spam_score: 0,
    bounce: false,
    cc: '',
    date,
    in_reply_to: '',
    references: '',
    auto_submitted: '',
    html_body: '<p>This message was made to try your route.</p>',
    plain_body: 'This message was made to try your route.',
    reply_from_plain_body: route.strip_replies ? 'This message was made to try your route.' : '',
    attachments: route.attachments ? [SAMPLE_FILE] : [],
    ...(route.headers
      ? { headers: { From: from, To: to, Subject: subject, 'Message-Id': messageId, Date: date } }
      : {}),
  };
}

const SAMPLE_FILE = {
  filename: 'sample.txt',
  content_type: 'text/plain',
  content_id: '',
  disposition: 'attachment',
  data: Buffer.from('A sample file').toString('base64'),
};

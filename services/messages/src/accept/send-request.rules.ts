import {
  newId,
  type AccountId,
  type DomainFacts,
  type EventEnvelope,
  type SandboxResult,
} from '@postmesh/contracts';
import { writeStoredContent, type MessageContent } from '@postmesh/mail-format';
import { toAcceptedEvent } from '../unheard/unheard.rules.js';
import type { SendResult } from './send-result.js';
import type { Schedule } from './shared-fields.rules.js';

const DAY_MS = 86_400_000;

/** A send that has passed every check, before it is stored. */
export interface AcceptedRequest {
  accountId: AccountId;
  domain: DomainFacts;
  sender: string;
  messageId: string;
  content: MessageContent;
  tags: string[];
  tracking: { open: boolean; click: boolean };
  retention: { metadataDays: number; dataDays: number };
  schedule: Schedule;
  sandbox: SandboxResult | null;
  acceptedAt: Date;
  /** at least one; the first id is the one in the Message-ID */
  recipients: { id: string; email: string; name: string }[];
  /** what the client is told, one per recipient of the request */
  results: SendResult[];
}

/** What is written for one request: rows, content, event. */
export interface SendRequest {
  row: SendRequestRow;
  messages: MessageRow[];
  content: { id: string; bytes: Buffer };
  event: EventEnvelope;
}

export interface SendRequestRow {
  id: string;
  account_id: AccountId;
  kind: 'conversation';
  domain_id: string;
  domain: string;
  sender: string;
  subject: string;
  message_id_header: string;
  tags: string[];
  content_id: string;
  size: number;
  track_opens: boolean;
  track_clicks: boolean;
  sandbox: string | null;
  first_attempt: Date | null;
  expires: Date | null;
  created_at: Date;
  /** data retention of 0 days: content is gone, for readers, once the message is done */
  hide_when_done: boolean;
  retain_data_until: Date;
  retain_metadata_until: Date;
}

export interface MessageRow {
  id: string;
  send_request_id: string;
  account_id: string;
  recipient: string;
  recipient_name: string;
  status: 'Received' | 'Scheduled';
  created_at: Date;
}

export function toSendRequest(request: AcceptedRequest): SendRequest {
  const first = request.recipients[0];
  if (!first) throw new Error('a send request needs a recipient');
  const bytes = writeStoredContent(request.content);
  const contentId = newId(request.acceptedAt.getTime());
  const row = toSendRequestRow(request, { id: first.id, contentId, size: bytes.length });
  const recipients = request.recipients.map(({ id, email }) => ({ id, email }));
  return {
    row,
    messages: request.recipients.map(({ id, email, name }) => ({
      id,
      send_request_id: first.id,
      account_id: request.accountId,
      recipient: email,
      recipient_name: name,
      status: request.schedule.firstAttempt ? 'Scheduled' : 'Received',
      created_at: request.acceptedAt,
    })),
    content: { id: contentId, bytes },
    event: toAcceptedEvent({ ...row, recipients }, request.domain.return_path_host ?? ''),
  };
}

interface Stored {
  id: string;
  contentId: string;
  size: number;
}

function toSendRequestRow(request: AcceptedRequest, stored: Stored): SendRequestRow {
  const { domain, schedule, acceptedAt, retention } = request;
  const after = (days: number) => new Date(acceptedAt.getTime() + days * DAY_MS);
  return {
    id: stored.id,
    account_id: request.accountId,
    kind: 'conversation',
    domain_id: domain.domain_id,
    domain: domain.domain,
    sender: request.sender,
    subject: request.content.subject,
    message_id_header: request.messageId,
    tags: request.tags,
    content_id: stored.contentId,
    size: stored.size,
    track_opens: request.tracking.open,
    track_clicks: request.tracking.click,
    sandbox: request.sandbox,
    first_attempt: schedule.firstAttempt,
    expires: schedule.expires,
    created_at: acceptedAt,
    hide_when_done: retention.dataDays === 0,
    retain_data_until: after(retention.dataDays),
    retain_metadata_until: after(retention.metadataDays),
  };
}

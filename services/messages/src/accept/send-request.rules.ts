import { MessageAccepted } from '@postmesh/messages-contract';
import {
  newId,
  type AccountId,
  type DomainId,
  type EventEnvelope,
  type EventOf,
  type MessageId,
  type SandboxResult,
  type SendRequestId,
} from '@postmesh/contracts';
import type { DomainFacts } from '@postmesh/domains-contract';
import { writeRequestContent, type StoredContent } from '@postmesh/message-content';
import type { Schedule } from './shared-fields.rules.js';

const DAY_MS = 86_400_000;

/**
 * In a conversation and in mail from an SMTP client all recipients share one message and its Message-ID; in the other
 * kinds each recipient has a message of their own (spec 2-messages §1.2, §1.3, §13 rule 8). A report is our own mail,
 * with the null sender. Messages of kind `campaign` are sent in batches.
 */
export type SendKind = 'campaign' | 'conversation' | 'regular' | 'report' | 'smtp' | 'template';

/** A send that has passed every check, before it is stored. */
export interface AcceptedRequest {
  kind: SendKind;
  /** of kind `campaign` only */
  campaignId?: string;
  /** null: not sent from a template */
  templateId: string | null;
  accountId: AccountId;
  domain: DomainFacts;
  /** addr-spec of the author */
  sender: string;
  /** display name of the author; stored where others than readers of the message see it: for campaigns */
  senderName?: string;
  /** with angle brackets; of the first recipient where each has their own */
  messageIdHeader: string;
  /** as the first recipient reads it */
  subject: string;
  content: StoredContent;
  /** bytes, set where texts are rendered: the rendered size exceeds the stored one */
  largestMessage?: number;
  tags: string[];
  tracking: { open: boolean; click: boolean };
  retention: { metadataDays: number; dataDays: number };
  schedule: Schedule;
  sandbox: SandboxResult | null;
  acceptedAt: Date;
  /** W3C traceparent of the event; left out where it is not traced */
  trace?: string | null;
  /** at least one; the first id is also in the Message-ID */
  recipients: RequestRecipient[];
}

export interface RequestRecipient {
  id: MessageId;
  email: string;
  name: string;
  /** rendered for this recipient; left out where it is that of the request */
  subject?: string;
}

/** The stored form of one request: rows, content, event. */
export interface SendRequest {
  row: SendRequestRow;
  messages: MessageRow[];
  content: { id: string; bytes: Buffer };
  event: EventEnvelope<AcceptedData>;
}

type AcceptedData = EventOf<typeof MessageAccepted>['data'];

export interface SendRequestRow {
  id: SendRequestId;
  accountId: AccountId;
  kind: SendKind;
  campaignId: string | null;
  templateId: string | null;
  domainId: DomainId;
  domain: string;
  sender: string;
  senderName: string | null;
  subject: string;
  messageIdHeader: string;
  tags: string[];
  contentId: string;
  size: number;
  trackOpens: boolean;
  trackClicks: boolean;
  sandbox: SandboxResult | null;
  firstAttempt: Date | null;
  expires: Date | null;
  createdAt: Date;
  /** data retention of 0 days: content is hidden from readers once the message is done */
  hideWhenDone: boolean;
  retainDataUntil: Date;
  retainMetadataUntil: Date;
}

interface MessageRow {
  id: MessageId;
  sendRequestId: SendRequestId;
  accountId: AccountId;
  campaignId: string | null;
  recipient: string;
  recipientName: string;
  /** null: that of the send request */
  subject: string | null;
  status: 'Received' | 'Scheduled' | 'Suppressed';
  createdAt: Date;
}

/** @param stored the form of the stored content */
export function toSendRequest(
  request: AcceptedRequest,
  stored?: Parameters<typeof writeRequestContent>[1],
): SendRequest {
  const { recipients, accountId, acceptedAt } = request;
  const bytes = writeRequestContent(request.content, stored);
  const row = sendRequestRow(request, Math.max(bytes.length, request.largestMessage ?? 0));
  const status = request.schedule.firstAttempt ? 'Scheduled' : 'Received';
  return {
    row,
    messages: recipients.map(({ id, email, name, subject }) => ({
      id,
      sendRequestId: row.id,
      accountId,
      campaignId: row.campaignId,
      recipient: email,
      recipientName: name,
      subject: ownSubject(subject, row),
      status,
      createdAt: acceptedAt,
    })),
    content: { id: row.contentId, bytes },
    event: acceptedEvent(row, recipients, request.domain.return_path_host, request.trace),
  };
}

const ownSubject = (
  subject: string | null | undefined,
  row: Pick<SendRequestRow, 'subject'>,
): string | null => (subject === undefined || subject === row.subject ? null : subject);

/** The request with some recipients suppressed: their messages have ended, and the event contains that. */
export function withSuppressed(sendRequest: SendRequest, ids: ReadonlySet<string>): SendRequest {
  const { messages, event } = sendRequest;
  const recipients = event.data.recipients.map((recipient) =>
    ids.has(recipient.id) ? { ...recipient, suppressed: true as const } : recipient,
  );
  return {
    ...sendRequest,
    messages: messages.map((message) =>
      ids.has(message.id) ? { ...message, status: 'Suppressed' as const } : message,
    ),
    event: { ...event, data: { ...event.data, recipients } },
  };
}

/**
 * The request with some of its recipients, in their order. The content keeps all of them: it is stored already.
 * @returns undefined where no recipient is left
 */
export function forSome(sendRequest: SendRequest, ids: ReadonlySet<MessageId>): SendRequest | undefined {
  const messages = sendRequest.messages.filter(({ id }) => ids.has(id));
  const [first] = messages;
  if (!first || messages.length === sendRequest.messages.length) return first && sendRequest;
  const { row: whole, event } = sendRequest;
  const subjectOf = (message: MessageRow): string => message.subject ?? whole.subject;
  const row = {
    ...whole,
    id: first.id as string as SendRequestId,
    messageIdHeader: messageIdOf(whole, first.id),
    subject: subjectOf(first),
  };
  const recipients = messages.map((one) => ({ id: one.id, email: one.recipient, subject: subjectOf(one) }));
  return {
    ...sendRequest,
    row,
    messages: messages.map((message) => ({
      ...message,
      sendRequestId: row.id,
      subject: ownSubject(subjectOf(message), row),
    })),
    event: acceptedEvent(row, recipients, event.data.return_path_host, event.trace),
  };
}

function sendRequestRow(request: AcceptedRequest, size: number): SendRequestRow {
  const { domain, schedule, acceptedAt, retention } = request;
  const after = (days: number) => new Date(acceptedAt.getTime() + days * DAY_MS);
  return {
    id: sendRequestId(request),
    accountId: request.accountId,
    kind: request.kind,
    campaignId: request.campaignId ?? null,
    templateId: request.templateId,
    domainId: domain.domain_id as DomainId,
    domain: domain.domain,
    sender: request.sender,
    senderName: request.senderName ?? null,
    subject: request.subject,
    messageIdHeader: request.messageIdHeader,
    tags: request.tags,
    contentId: newId(acceptedAt.getTime()),
    size,
    trackOpens: request.tracking.open,
    trackClicks: request.tracking.click,
    sandbox: request.sandbox,
    firstAttempt: schedule.firstAttempt,
    expires: schedule.expires,
    createdAt: acceptedAt,
    hideWhenDone: retention.dataDays === 0,
    retainDataUntil: after(retention.dataDays),
    retainMetadataUntil: after(retention.metadataDays),
  };
}

/** A send request has the id of its first message, so that each is found from the other without an index. */
function sendRequestId({ recipients: [first] }: AcceptedRequest): SendRequestId {
  if (!first) throw new Error('a send request needs a recipient');
  return first.id as string as SendRequestId;
}

/** The fields of the event of a send request, at acceptance or from its row later. */
type AnnouncedRow = Omit<
  SendRequestRow,
  'templateId' | 'hideWhenDone' | 'retainDataUntil' | 'retainMetadataUntil'
>;

interface AnnouncedRecipient {
  id: MessageId;
  email: string;
  subject?: string | null;
  suppressed?: true;
}

/**
 * The event of a send request. Its id is that of the send request: published twice, it is one event to every
 * consumer with an inbox.
 */
function acceptedEvent(
  row: AnnouncedRow,
  recipients: readonly AnnouncedRecipient[],
  returnPathHost: string | null,
  trace: string | null = null,
): EventEnvelope<AcceptedData> {
  const event = MessageAccepted.make(
    {
      send_request_id: row.id,
      domain_id: row.domainId,
      domain: row.domain,
      sender: row.sender,
      subject: row.subject,
      message_id_header: row.messageIdHeader,
      content_id: row.contentId,
      size: row.size,
      return_path_host: returnPathHost ?? '',
      accepted_at: row.createdAt.toISOString(),
      first_attempt: row.firstAttempt?.toISOString() ?? null,
      expires: row.expires?.toISOString() ?? null,
      sandbox: row.sandbox,
      // JSON leaves out undefined
      null_sender: row.kind === 'report' ? true : undefined,
      campaign: row.campaignId === null ? undefined : true,
      campaign_id: row.campaignId ?? undefined,
      sender_name: row.senderName || undefined,
      tags: row.tags.length > 0 ? row.tags : undefined,
      tracking:
        row.trackOpens || row.trackClicks ? { open: row.trackOpens, click: row.trackClicks } : undefined,
      recipients: recipients.map((recipient) => announced(recipient, row)),
    },
    { account_id: row.accountId, occurred_at: row.createdAt, trace },
  );
  event.id = row.id;
  return event;
}

/** Fields that equal those of the request are left out. */
function announced(recipient: AnnouncedRecipient, row: AnnouncedRow): AcceptedData['recipients'][number] {
  const { id, email, suppressed } = recipient;
  const subject = ownSubject(recipient.subject ?? undefined, row);
  const messageIdHeader = messageIdOf(row, id);
  return {
    id,
    email,
    subject: subject ?? undefined,
    message_id_header: messageIdHeader === row.messageIdHeader ? undefined : messageIdHeader,
    suppressed,
  };
}

/** The campaign fields of a message's events; none for other messages. */
export const campaignFacts = ({
  campaignId,
  senderName,
}: Pick<SendRequestRow, 'campaignId' | 'senderName'>) => ({
  ...(campaignId === null ? {} : { campaign_id: campaignId }),
  ...(senderName ? { sender_name: senderName } : {}),
});

/** Kinds with a message, and so a Message-ID, per recipient. */
export const OWN_MESSAGE_KINDS: readonly SendKind[] = ['campaign', 'regular', 'template'];

/** SQL condition on a send request `s`. */
export const HAS_OWN_MESSAGES = `s.kind in (${OWN_MESSAGE_KINDS.map((kind) => `'${kind}'`).join(', ')})`;

/** The Message-ID of one message of a send request, with angle brackets. */
export const messageIdOf = (
  row: Pick<SendRequestRow, 'kind' | 'domain' | 'messageIdHeader'>,
  id: MessageId,
): string => (OWN_MESSAGE_KINDS.includes(row.kind) ? `<${id}@${row.domain}>` : row.messageIdHeader);

import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import type { AccountId, DomainId, MessageId, SendRequestId } from '@postmesh/contracts';
import { firstAddress } from '@postmesh/mail-format';
import { messageIdOf, OWN_MESSAGE_KINDS, type SendKind } from '../accept/send-request.rules.js';
import { findByHeader } from '../read-message/find-by-header.js';
import { OPEN_STATUSES, type MessageStatus } from '../message-status/message-status.rules.js';
import type { Complaint, Report } from './read/report.js';

/** The stored message of a report. */
export interface ReportedMessage {
  id: MessageId;
  /** the number that inbound records refer to */
  seq: string;
  sendRequestId: SendRequestId;
  accountId: AccountId;
  recipient: string;
  subject: string;
  status: MessageStatus;
  sentAt: Date | null;
  kind: SendKind;
  campaignId: string | null;
  templateId: string | null;
  domainId: DomainId;
  domain: string;
  sender: string;
  senderName: string | null;
  messageIdHeader: string;
  tags: string[];
  sandbox: string | null;
  createdAt: Date;
  hideWhenDone: boolean;
  retainDataUntil: Date;
  retainMetadataUntil: Date;
}

// The most recipients of one SMTP transaction and of one send.
const MAX_RECIPIENTS = 100;
// A message contains two: for its bounces and for its complaints.
const MAX_TOKENS = 10;

/**
 * The message of an address's token. All recipients of one message may share a feedback address: then the report
 * identifies the recipient.
 * @returns undefined when there is none, or when the recipient is ambiguous
 */
export async function findReported(
  manager: EntityManager,
  { report: kind, record_id: recordId }: { report: 'bounce' | 'feedback'; record_id: string },
  report: Report,
): Promise<ReportedMessage | undefined> {
  const named: ReportedMessage[] = await manager.query(FIND, [recordId, kind === 'feedback', MAX_RECIPIENTS]);
  const message = kind === 'bounce' ? named[0] : meant(named, recordId, report);
  return message && { ...message, messageIdHeader: messageIdOf(message, message.id) };
}

/**
 * The message of a complaint of a feedback loop: by a token of ours anywhere in it, else by the Message-ID of
 * the enclosed message, whose From must be of the sending domain (spec 2-messages §15.5).
 * @returns undefined when there is none, or when the recipient is ambiguous
 */
export async function findComplained(
  manager: EntityManager,
  report: Complaint,
): Promise<ReportedMessage | undefined> {
  const tokens = report.tokens.toSorted((one, other) => one.kind.localeCompare(other.kind));
  for (const { kind, recordId } of tokens.slice(0, MAX_TOKENS)) {
    const found = await findReported(manager, { report: kind, record_id: recordId }, report);
    if (found) return found;
  }
  const { messageId, from = '' } = report.enclosed ?? {};
  if (messageId === undefined) return undefined;
  const ids = (await findByHeader(manager, null, messageId)).slice(0, MAX_RECIPIENTS);
  const named: ReportedMessage[] = await manager.query(FIND_BY_IDS, [ids, MAX_RECIPIENTS]);
  const domain = firstAddress(from)?.replace(/^.*@/s, '').toLowerCase();
  const sent = named.filter((message) => message.domain === domain);
  const recipient = report.recipient?.toLowerCase();
  const message =
    sent.length === 1 ? sent[0] : sent.find((each) => each.recipient.toLowerCase() === recipient);
  return message && { ...message, messageIdHeader: messageIdOf(message, message.id) };
}

// Outcomes arrive after some milliseconds, under load after some hundred.
const LOOKS = 5;
const LOOK_MS = 200;

/**
 * A host may bounce a message before its acceptance reaches this service. The outcome of the delivery must be counted
 * and published before the bounce, so this waits for it, for a second at most.
 */
export async function deliveryKnown(manager: EntityManager, { id, status }: ReportedMessage): Promise<void> {
  for (let look = 0; look < LOOKS && OPEN_STATUSES.includes(status); look++) {
    await sleep(LOOK_MS);
    const open: unknown[] = await manager.query(
      'select from messages where id = $1 and status = any($2::text[])',
      [id, OPEN_STATUSES],
    );
    if (open.length === 0) return;
  }
}

/** Serialises reports about one message. @returns its current state; undefined when it was purged meanwhile */
export async function lockReported(
  tx: EntityManager,
  message: ReportedMessage,
): Promise<ReportedMessage | undefined> {
  const rows: Pick<ReportedMessage, 'status' | 'sentAt'>[] = await tx.query(
    'select status, sent_at as "sentAt" from messages where id = $1 for update',
    [message.id],
  );
  return rows[0] && { ...message, ...rows[0] };
}

/** The complaining recipient of one message. */
function meant(
  named: readonly ReportedMessage[],
  recordId: string,
  report: Report,
): ReportedMessage | undefined {
  const first = named.find(({ id }) => id === recordId);
  // each of these is a message of its own with an address of its own
  if ((first && OWN_MESSAGE_KINDS.includes(first.kind)) || named.length === 1) return first;
  const recipient = report.kind === 'complaint' ? report.recipient?.toLowerCase() : undefined;
  const bounceTokens = report.tokens.filter(({ kind }) => kind === 'bounce');
  return (
    named.find((message) => bounceTokens.some((token) => token.recordId === message.id)) ??
    named.find((message) => message.recipient.toLowerCase() === recipient)
  );
}

// Only sent mail: no inbound messages, no reports of ours.
const SENT = `
  select m.id, m.seq, m.send_request_id as "sendRequestId", m.account_id as "accountId", m.recipient,
    coalesce(m.subject, s.subject) as subject, m.status, m.sent_at as "sentAt", s.kind,
    s.campaign_id as "campaignId", s.template_id as "templateId", s.sender_name as "senderName",
    s.domain_id as "domainId", s.domain, s.sender, s.message_id_header as "messageIdHeader", s.tags, s.sandbox,
    m.created_at as "createdAt", s.hide_when_done as "hideWhenDone", s.retain_data_until as "retainDataUntil",
    s.retain_metadata_until as "retainMetadataUntil"
  from messages m join send_requests s on s.id = m.send_request_id
  where s.kind not in ('inbound', 'report') and s.sandbox is null`;
const FIND = `${SENT} and (m.id = $1 or ($2 and m.send_request_id = $1 and m.id <> m.send_request_id))
  order by m.id limit $3`;
const FIND_BY_IDS = `${SENT} and m.id = any($1::uuid[]) order by m.id limit $2`;

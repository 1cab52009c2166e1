import { ApiError, newId, type DomainFacts, type MessageId, type Principal } from '@postmesh/contracts';
import {
  readAttachment,
  type Attachment,
  type EmailAddress,
  type Mailbox,
  type MessageContent,
} from '@postmesh/mail-format';
import type { Shield } from '../recipient-shields/recipient-shields.rules.js';
import type { AttachmentBody, ConversationBody, RecipientBody, ScheduleBody } from './conversation.schema.js';
import type { AcceptedRequest } from './send-request.rules.js';
import {
  readRetention,
  readSandbox,
  readSchedule,
  readTags,
  readTracking,
  requireAddress,
  requireOneLine,
  requireSubject,
  type SortedRequestHeaders,
} from './shared-fields.rules.js';

const MAX_RECIPIENTS = 50;

export interface ConversationRecipient {
  given: RecipientBody;
  address: EmailAddress;
  name: string;
}

export interface ConversationRecipients {
  to: ConversationRecipient[];
  cc: ConversationRecipient[];
  bcc: ConversationRecipient[];
  /** each address once, order to, cc, bcc; the first place wins (spec 2-messages §1.3 rule 4) */
  distinct: ConversationRecipient[];
}

/** @throws ApiError 400 for more than 50 recipients or a bad address */
export function readRecipients(input: ConversationBody): ConversationRecipients {
  const count = input.to.length + (input.cc?.length ?? 0) + (input.bcc?.length ?? 0);
  if (count > MAX_RECIPIENTS)
    throw new ApiError(400, `to, cc and bcc together must have at most ${MAX_RECIPIENTS} recipients`);
  const to = readList(input.to, 'to');
  const cc = readList(input.cc ?? [], 'cc');
  const bcc = readList(input.bcc ?? [], 'bcc');
  return { to, cc, bcc, distinct: distinctByAddress([...to, ...cc, ...bcc]) };
}

function readList(list: readonly RecipientBody[], field: string): ConversationRecipient[] {
  return list.map((given, index) => ({
    given,
    address: requireAddress(given.email, `${field}[${index}].email`),
    name: requireOneLine(given.name ?? '', `${field}[${index}].name`).trim(),
  }));
}

function distinctByAddress(list: readonly ConversationRecipient[]): ConversationRecipient[] {
  const seen = new Set<string>();
  return list.filter(({ address }) => !seen.has(address.address) && seen.add(address.address));
}

/** What is read of a request before its domain is known, and what is known of its account and domain. */
interface Checked {
  principal: Principal;
  input: ConversationBody;
  /** bare address of the author */
  sender: string;
  recipients: ConversationRecipients;
  headers: SortedRequestHeaders;
  domain: DomainFacts;
  shield: Shield;
}

/** The result of a send: what becomes of each recipient, in the order to, cc, bcc (spec 2-messages §1.5). */
export interface AcceptedConversation {
  /** with angle brackets; all recipients share it */
  messageIdHeader: string;
  recipients: AcceptedRecipient[];
  /** as it was given */
  schedule: ScheduleBody | null | undefined;
}

export interface AcceptedRecipient {
  email: string;
  name: string;
  given: RecipientBody;
  /** why nothing is sent to this recipient */
  error: string | undefined;
}

/**
 * Everything of the request that can be wrong is found here, in the order of spec 2-messages §1.2.
 * @throws ApiError 400
 */
export function readConversation(
  { principal, input, sender, recipients, headers, domain, shield }: Checked,
  now: Date,
): { request: AcceptedRequest; accepted: AcceptedConversation } {
  const { account } = principal;
  const { controls } = headers;
  requireContent(input);
  const retention = readRetention(input.retention, controls, account);
  const schedule = readSchedule(input.schedule, now);
  const sandbox = readSandbox(input, controls);
  const tracking = readTracking(input.tracking, controls, account);
  const tags = readTags(input.tags, controls);
  const accepted = recipients.distinct.map((recipient) => acceptedRecipient(recipient, shield));
  const sent = accepted
    .filter(({ error }) => error === undefined)
    .map(({ email, name }) => ({ id: newId(now.getTime()) as MessageId, email, name }));
  const messageIdHeader = `<${sent[0]?.id ?? newId()}@${domain.domain}>`;
  const about = { messageId: messageIdHeader, date: now, headers: headers.passed };
  return {
    request: {
      kind: 'conversation',
      templateId: null,
      accountId: principal.account_id,
      domain,
      sender,
      messageIdHeader,
      subject: input.subject,
      content: readContent(input, sender, recipients, about),
      tags,
      tracking,
      retention,
      schedule,
      sandbox,
      acceptedAt: now,
      recipients: sent,
    },
    accepted: { messageIdHeader, recipients: accepted, schedule: input.schedule },
  };
}

const NEEDS_SMTPUTF8 = '553 Requested action not taken: the address needs SMTPUTF8, which is not supported';

/** An error keeps the message from one recipient while the others get it (spec 2-messages §1.5). */
function acceptedRecipient(
  { address, name, given }: ConversationRecipient,
  shield: Shield,
): AcceptedRecipient {
  const error = address.needsSmtpUtf8 ? NEEDS_SMTPUTF8 : shield(address.domain);
  return { email: address.address, name, given, error };
}

function requireContent(input: ConversationBody): void {
  requireSubject(input.subject);
  if (!input.text_content && !input.html_content) {
    throw new ApiError(400, 'Either text_content or html_content is required');
  }
}

function readContent(
  input: ConversationBody,
  sender: string,
  recipients: ConversationRecipients,
  about: Pick<MessageContent, 'messageId' | 'date' | 'headers'>,
): MessageContent {
  const replyTo = input.reply_to
    ? {
        email: requireAddress(input.reply_to.email, 'reply_to.email').address,
        ...nameOf(input.reply_to.name, 'reply_to.name'),
      }
    : undefined;
  const cc = headerMailboxes(recipients.cc);
  return {
    ...about,
    from: { email: sender, ...nameOf(input.from.name, 'from.name') },
    to: headerMailboxes(recipients.to),
    ...(cc.length > 0 ? { cc } : {}),
    ...(replyTo ? { replyTo } : {}),
    subject: input.subject,
    text: input.text_content || undefined,
    html: input.html_content || undefined,
    amp: input.amp_content || undefined,
    ...(input.attachments?.length ? { attachments: input.attachments.map(attachmentAt) } : {}),
  };
}

function nameOf(name: string | null | undefined, field: string): { name?: string } {
  const text = requireOneLine(name ?? '', field).trim();
  return text === '' ? {} : { name: text };
}

/** As in the fields To and Cc, also of recipients with an error; what cannot be written in ASCII is left out. */
function headerMailboxes(list: readonly ConversationRecipient[]): Mailbox[] {
  return list
    .filter(({ address }) => !address.needsSmtpUtf8)
    .map(({ address, name }) =>
      name === '' ? { email: address.address } : { email: address.address, name },
    );
}

function attachmentAt(given: AttachmentBody, index: number): Attachment {
  const read = readAttachment({
    data: given.data,
    base64: given.base64 ?? false,
    content_type: given.content_type,
    file_name: given.file_name,
    content_disposition: given.content_disposition ?? undefined,
    content_id: given.content_id ?? undefined,
  });
  if (!read.ok) throw new ApiError(400, `attachments[${index}].${read.message}`);
  return read.attachment;
}

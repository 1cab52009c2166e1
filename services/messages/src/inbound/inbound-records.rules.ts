import {
  newId,
  type AccountId,
  type DomainId,
  type InboundOwner,
  type MessageId,
  type SendRequestId,
} from '@postmesh/contracts';
import type { StoredStatus } from '../message-status/message-status.rules.js';

const DAY_MS = 86_400_000;
// A route is called for about 11 hours (spec 1-platform §13.5); until then its body is made from the content.
const MIN_CONTENT_MS = DAY_MS / 2;

/** Days, from the account's settings. */
interface InboundRetention {
  metadataDays: number;
  dataDays: number;
}

/** An inbound message for one owner: the recipients at one of its domains. */
export interface InboundMessage {
  owner: InboundOwner;
  /** of the envelope, in its order; at least one */
  recipients: readonly string[];
  /** addr-spec of the author */
  sender: string;
  subject: string;
  /** with angle brackets; empty when there is none */
  messageIdHeader: string;
  /** as received, with our trace fields on top */
  content: Buffer;
  /** bytes as received; those of the content when left out */
  size?: number;
  retention: InboundRetention;
  receivedAt: Date;
  /** of a delivery report: the `seq` of the reported message */
  bounceOf?: string;
}

/** The rows of one inbound message, and its content. */
export interface InboundRecord {
  row: InboundRequestRow;
  messages: InboundMessageRow[];
  content: { id: string; bytes: Buffer };
}

interface InboundRequestRow {
  id: SendRequestId;
  accountId: AccountId;
  kind: 'inbound';
  templateId: null;
  domainId: DomainId;
  domain: string;
  sender: string;
  subject: string;
  messageIdHeader: string;
  tags: string[];
  contentId: string;
  size: number;
  trackOpens: false;
  trackClicks: false;
  sandbox: null;
  firstAttempt: null;
  expires: null;
  createdAt: Date;
  hideWhenDone: boolean;
  retainDataUntil: Date;
  retainMetadataUntil: Date;
}

interface InboundMessageRow {
  id: MessageId;
  sendRequestId: SendRequestId;
  accountId: AccountId;
  recipient: string;
  recipientName: '';
  subject: null;
  status: StoredStatus;
  createdAt: Date;
  isBounceNotification: boolean;
  referenceSeq: string | null;
}

/** The record has the id of its first message, like a send request. */
export function toInboundRecord(message: InboundMessage): InboundRecord {
  const { owner, recipients, receivedAt, bounceOf } = message;
  const ids = recipients.map(() => newId(receivedAt.getTime()) as MessageId);
  const [first] = ids;
  if (first === undefined) throw new Error('an inbound message needs a recipient');
  const row = requestRow(message, first as string as SendRequestId);
  return {
    row,
    messages: recipients.map((recipient, nth) => ({
      id: ids[nth] ?? first,
      sendRequestId: row.id,
      accountId: owner.account_id,
      recipient: storable(recipient),
      recipientName: '',
      subject: null,
      status: 'Inbound',
      createdAt: receivedAt,
      isBounceNotification: bounceOf !== undefined,
      referenceSeq: bounceOf ?? null,
    })),
    content: { id: row.contentId, bytes: message.content },
  };
}

function requestRow(message: InboundMessage, id: SendRequestId): InboundRequestRow {
  const { owner, receivedAt, retention } = message;
  const after = (ms: number) => new Date(receivedAt.getTime() + ms);
  return {
    id,
    accountId: owner.account_id,
    kind: 'inbound',
    templateId: null,
    domainId: owner.domain_id,
    domain: owner.domain,
    sender: storable(message.sender),
    subject: storable(message.subject),
    messageIdHeader: storable(message.messageIdHeader),
    tags: [],
    contentId: newId(receivedAt.getTime()),
    size: message.size ?? message.content.length,
    trackOpens: false,
    trackClicks: false,
    sandbox: null,
    firstAttempt: null,
    expires: null,
    createdAt: receivedAt,
    hideWhenDone: retention.dataDays === 0,
    retainDataUntil: after(Math.max(retention.dataDays * DAY_MS, MIN_CONTENT_MS)),
    retainMetadataUntil: after(Math.max(retention.metadataDays, 1) * DAY_MS),
  };
}

/** PostgreSQL takes no NUL. */
const storable = (text: string): string => text.replaceAll('\0', '');

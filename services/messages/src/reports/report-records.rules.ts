import { derivedId, type MessageId, type SendRequestId } from '@postmesh/contracts';
import { summaryOf } from '../inbound/inbound-headers.rules.js';
import { toInboundRecord, type InboundRecord } from '../inbound/inbound-records.rules.js';
import type { ReportedMessage } from './reported-message.js';

/** A report as received. */
export interface RawReport {
  /** the address to which it was sent */
  address: string;
  /** reverse-path of the envelope; empty is the null sender */
  sender: string;
  raw: Buffer;
  receivedAt: Date;
}

const DAY_MS = 86_400_000;

/** The inbound record of a report: with the account, the domain and the retention of the message. */
export function reportRecord(
  { address, sender, raw, receivedAt }: RawReport,
  message: ReportedMessage,
  isBounce: boolean,
): InboundRecord {
  const { author, subject, messageId } = summaryOf(raw);
  const record = toInboundRecord({
    owner: { account_id: message.accountId, domain_id: message.domainId, domain: message.domain },
    recipients: [address],
    sender: author || sender,
    subject,
    messageIdHeader: messageId,
    content: raw,
    size: raw.length,
    retention: retentionOf(message),
    receivedAt,
    bounceOf: message.seq,
  });
  const id = recordIdOf(message.id, raw);
  return {
    ...record,
    row: { ...record.row, id: id as string as SendRequestId },
    messages: record.messages.map((row) => ({
      ...row,
      id,
      sendRequestId: id as string as SendRequestId,
      isBounceNotification: isBounce,
    })),
  };
}

function retentionOf({ createdAt, hideWhenDone, retainDataUntil, retainMetadataUntil }: ReportedMessage) {
  const days = (until: Date) => Math.round((until.getTime() - createdAt.getTime()) / DAY_MS);
  return { dataDays: hideWhenDone ? 0 : days(retainDataUntil), metadataDays: days(retainMetadataUntil) };
}

/** The same report about the same message has the same id each time. */
export const recordIdOf = (messageId: MessageId, raw: Buffer): MessageId =>
  derivedId('report', messageId, raw) as MessageId;

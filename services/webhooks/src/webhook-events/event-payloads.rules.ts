import type { DomainDnsFailed } from '@postmesh/domains-contract';
import type { EventOf } from '@postmesh/contracts';
import type {
  MessageAccepted,
  MessageChange,
  MessageChangedEvent,
  MessageReceived,
  SuppressionChange,
} from '@postmesh/messages-contract';
import type { RemoteReply } from '@postmesh/delivery-worker-contract';
import { WEBHOOK_EVENTS, type EventFlag } from './webhook-events.table.js';

/** An event as customers see it, not yet addressed to a webhook. */
export interface PublicEvent {
  flag: EventFlag;
  accountId: string;
  /** decides which scoped webhooks get it (spec 2-messages §18.12) */
  domain: string;
  /** RFC 3339, when it happened */
  happenedAt: string;
  /** the message that it is about; left out for other events */
  messageId?: string;
  /** the message came in: dialects have no counterpart of its reception */
  isInbound?: true;
  data: Readonly<Record<string, unknown>>;
}

/** The exact text that is signed and sent to one webhook. */
export function writeBody(event: PublicEvent, webhookId: string): string {
  return JSON.stringify({
    type: WEBHOOK_EVENTS[event.flag].type,
    timestamp: publicTime(event.happenedAt),
    webhook_id: webhookId,
    data: event.data,
  });
}

/** RFC 3339 without zeros at the end of the fraction: `…:02.000Z` is `…:02Z`. */
export function publicTime(time: string): string {
  return time.replace(/\.(\d*?)0*Z$/, (_, fraction: string) => (fraction === '' ? 'Z' : `.${fraction}Z`));
}

type Accepted = EventOf<typeof MessageAccepted>['data'];
type Recipient = Accepted['recipients'][number];
/** The fields of a message in its events. */
type OfMessage =
  'message_id' | 'sender' | 'sender_name' | 'recipient' | 'subject' | 'message_id_header' | 'domain';
type Changed = Pick<MessageChangedEvent['data'], OfMessage | 'change' | 'changed_at' | 'reply' | 'fetch'>;
type Received = Pick<
  EventOf<typeof MessageReceived>['data'],
  'sender' | 'subject' | 'message_id_header' | 'domain' | 'received_at'
>;

interface Message {
  accountId: string;
  messageId: string;
  from: string;
  recipient: string;
  subject: string;
  messageIdHeader: string;
}

// A complaint is no event for customers, but its suppression is.
const FLAG_OF_CHANGE = {
  delivered: 'on_delivered',
  deferred: 'on_transient_error',
  bounced: 'on_bounced',
  failed: 'on_failed',
  suppressed: 'on_suppressed',
  opened: 'on_opened',
  clicked: 'on_clicked',
  complained: null,
} as const satisfies Record<MessageChange, EventFlag | null>;

// A window that ran out and a recipient that was not tried have no attempt to show (spec 2-messages §19.1).
const WITH_ATTEMPT: ReadonlySet<MessageChange> = new Set(['delivered', 'deferred', 'bounced']);

/** `message.reception` of one recipient: stored and queued. */
export const receptionOf = (accountId: string, accepted: Accepted, recipient: Recipient): PublicEvent =>
  atAcceptance('on_reception', accountId, accepted, recipient);

/** `message.suppressed` of a recipient that was suppressed when the message was accepted. */
export const suppressedAtAcceptance = (
  accountId: string,
  accepted: Accepted,
  recipient: Recipient,
): PublicEvent => atAcceptance('on_suppressed', accountId, accepted, recipient);

function atAcceptance(
  flag: EventFlag,
  accountId: string,
  accepted: Accepted,
  recipient: Recipient,
): PublicEvent {
  const message = {
    accountId,
    messageId: recipient.id,
    from: fromOf(accepted),
    recipient: recipient.email,
    subject: recipient.subject ?? accepted.subject,
    messageIdHeader: recipient.message_id_header ?? accepted.message_id_header,
  };
  return messageEvent(message, { flag, domain: accepted.domain, happenedAt: accepted.accepted_at });
}

/** `message.reception` of one recipient of an inbound message, whose domain decides which webhooks get it. */
export function receptionOfInbound(
  accountId: string,
  received: Received,
  recipient: { id: string; email: string },
): PublicEvent {
  const message = {
    accountId,
    messageId: recipient.id,
    from: received.sender,
    recipient: recipient.email,
    subject: received.subject,
    messageIdHeader: received.message_id_header,
  };
  const happened = {
    flag: 'on_reception',
    domain: received.domain,
    happenedAt: received.received_at,
  } as const;
  return { ...messageEvent(message, happened), isInbound: true };
}

/**
 * An event in the delivery of one recipient's message: a step, a later bounce by a report (without an attempt, spec
 * 2-messages §19.1), or a fetch of the pixel or of a link, also by a bot.
 * @returns none where it is no event for customers
 */
export function changeOf({ account_id, data }: { account_id: string; data: Changed }): PublicEvent[] {
  const flag = FLAG_OF_CHANGE[data.change];
  if (flag === null) return [];
  const happened = { flag, domain: data.domain, happenedAt: data.changed_at };
  return [messageEvent(messageOf(account_id, data), happened, detailsOf(data))];
}

function detailsOf({ change, reply, fetch }: Changed): Record<string, unknown> & { is_bot: boolean } {
  if (fetch) {
    const { url, user_agent, ip, is_bot } = fetch;
    return { ...(url === undefined ? {} : { url }), user_agent, ip, is_bot };
  }
  const attempt = WITH_ATTEMPT.has(change) ? attemptOf(reply ?? null, change !== 'delivered') : undefined;
  return { is_bot: false, ...(attempt ? { delivery_attempt: attempt } : {}) };
}

/** The address alone; campaign mail has a name before it (spec 2-messages §19.1). */
const fromOf = ({ sender, sender_name: name }: Pick<Accepted, 'sender' | 'sender_name'>): string =>
  name ? `${name} <${sender}>` : sender;

function messageOf(accountId: string, later: Pick<Changed, OfMessage>): Message {
  return {
    accountId,
    messageId: later.message_id,
    from: fromOf(later),
    recipient: later.recipient,
    subject: later.subject,
    messageIdHeader: later.message_id_header,
  };
}

function messageEvent(
  message: Message,
  happened: Pick<PublicEvent, 'flag' | 'domain' | 'happenedAt'>,
  more: Record<string, unknown> & { is_bot: boolean } = { is_bot: false },
): PublicEvent {
  const data = {
    account_id: message.accountId,
    event: happened.flag,
    from: message.from,
    recipient: message.recipient,
    subject: message.subject,
    message_id_header: message.messageIdHeader,
    id: message.messageId.replaceAll('-', ''),
    ...more,
  };
  return { ...happened, accountId: message.accountId, messageId: message.messageId, data };
}

/** An attempt with neither code nor text is not shown at all; empty texts are left out. */
function attemptOf(reply: RemoteReply | null, failed: boolean): Record<string, unknown> | undefined {
  if (reply === null || (reply.smtp_code === 0 && !reply.response)) return undefined;
  return {
    ...(failed && reply.classification ? { classification: reply.classification } : {}),
    smtp_code: reply.smtp_code,
    ...(reply.enhanced_status_code ? { enhanced_status_code: reply.enhanced_status_code } : {}),
    ...(reply.response ? { response: reply.response } : {}),
    ...(reply.command ? { command: reply.command } : {}),
  };
}

/** `domain.dns_error`: a domain that could send no longer can (spec 2-messages §19.3). */
export function dnsErrorOf(failed: EventOf<typeof DomainDnsFailed>['data']): PublicEvent {
  return {
    flag: 'on_dns_error',
    accountId: failed.account_id,
    domain: failed.domain,
    happenedAt: failed.dns_last_checked_at,
    data: {
      domain: failed.domain,
      account_id: failed.account_id,
      spf_valid: failed.spf_valid,
      dkim_valid: failed.dkim_valid,
      dmarc_valid: failed.dmarc_valid,
      dns_last_checked_at: publicTime(failed.dns_last_checked_at),
    },
  };
}

type Created = Pick<SuppressionChange, 'recipient' | 'domain' | 'reason' | 'created_at' | 'expires_at'>;

/** `suppression.created`: mail from one of the account's domains to an address stops (spec 2-messages §19.2). */
export function suppressionCreatedOf(accountId: string, created: Created): PublicEvent {
  return {
    flag: 'on_suppression_created',
    accountId,
    domain: created.domain,
    happenedAt: created.created_at,
    data: {
      account_id: accountId,
      recipient: created.recipient,
      created_at: publicTime(created.created_at),
      expires_at: publicTime(created.expires_at),
      reason: created.reason,
      sending_domain: created.domain,
    },
  };
}

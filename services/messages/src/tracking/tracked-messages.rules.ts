import { MessageChanged, type MessageChangedEvent, type TrackedFetch } from '@postmesh/messages-contract';
import { campaignFacts } from '../accept/send-request.rules.js';
import type { MessageStatus } from '../message-status/message-status.rules.js';
import type { BotReason } from './bot.rules.js';

/** The message of a fetch. */
export interface TrackedMessage {
  id: string;
  sendRequestId: string;
  campaignId: string | null;
  templateId: string | null;
  accountId: string;
  recipient: string;
  status: MessageStatus;
  openCount: number;
  clickCount: number;
  domain: string;
  sender: string;
  senderName: string | null;
  subject: string;
  messageIdHeader: string;
  tags: string[];
  sandbox: boolean;
  /** delivery time; until that is known, the time of its first attempt or its acceptance */
  deliveredAt: Date;
}

/** A fetch that is classified as a person's or a machine's. */
export interface DecidedFetch extends Pick<TrackedFetch, 'id' | 'kind' | 'url' | 'ip'> {
  messageId: string;
  at: Date;
  userAgent: string;
  /** null: a person */
  botReason: BotReason | null;
}

/** The effect of fetches on one message. */
export interface MessageTracking {
  message: TrackedMessage;
  opens: number;
  clicks: number;
  status: MessageStatus;
  /** the first ones by people; each is a fact of statistics */
  firstOpenAt: Date | null;
  firstClickAt: Date | null;
  lastAt: Date;
}

const TRACKED_STATUSES = {
  open: { from: ['Delivered'], to: 'Opened' },
  click: { from: ['Delivered', 'Opened'], to: 'Clicked' },
} as const satisfies Record<string, { from: readonly MessageStatus[]; to: MessageStatus }>;

/** Spec 2-messages §7: a status only moves forward, and a message that is no longer delivered keeps its status. */
export function statusAfterFetch(status: MessageStatus, kind: 'open' | 'click'): MessageStatus {
  const { from, to } = TRACKED_STATUSES[kind];
  return (from as readonly MessageStatus[]).includes(status) ? to : status;
}

/** One change per message with fetches by people; fetches by machines change nothing (§11 rule 8). */
export function foldFetches(
  messages: ReadonlyMap<string, TrackedMessage>,
  fetches: readonly DecidedFetch[],
): MessageTracking[] {
  const changes = new Map<string, MessageTracking>();
  for (const { messageId, kind, at, botReason } of fetches) {
    const message = messages.get(messageId);
    if (!message || botReason !== null) continue;
    const change = changes.get(messageId) ?? unchanged(message, at);
    changes.set(messageId, change);
    change.status = statusAfterFetch(change.status, kind);
    if (at > change.lastAt) change.lastAt = at;
    if (kind === 'open') {
      change.opens += 1;
      if (message.openCount === 0) change.firstOpenAt ??= at;
    } else {
      change.clicks += 1;
      if (message.clickCount === 0) change.firstClickAt ??= at;
    }
  }
  return [...changes.values()];
}

const unchanged = (message: TrackedMessage, at: Date): MessageTracking => ({
  message,
  opens: 0,
  clicks: 0,
  status: message.status,
  firstOpenAt: null,
  firstClickAt: null,
  lastAt: at,
});

/** The event of a fetch by a person or a machine. Its id is that of the fetch. */
export function changeByFetch(message: TrackedMessage, fetch: DecidedFetch): MessageChangedEvent {
  const event = MessageChanged.make(
    {
      change: fetch.kind === 'open' ? 'opened' : 'clicked',
      changed_at: fetch.at.toISOString(),
      message_id: message.id,
      send_request_id: message.sendRequestId,
      ...campaignFacts(message),
      domain: message.domain,
      sender: message.sender,
      recipient: message.recipient,
      subject: message.subject,
      message_id_header: message.messageIdHeader,
      sandbox: message.sandbox,
      fetch: {
        ...(fetch.url === undefined ? {} : { url: fetch.url }),
        user_agent: fetch.userAgent,
        ip: fetch.ip,
        is_bot: fetch.botReason !== null,
      },
    },
    { account_id: message.accountId, occurred_at: fetch.at },
  );
  return { ...event, id: fetch.id };
}

import { MessageChanged, type MessageChangedEvent, type TrackedFetch } from '@postmesh/messages-contract';
import { campaignFacts } from '../accept/send-request.rules.js';
import type { MessageStatus } from '../message-status/message-status.rules.js';
import type { BotReason } from './bot.rules.js';

/** A message that something was fetched of. */
export interface TrackedMessage {
  id: string;
  sendRequestId: string;
  campaignId: string | null;
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
  /** when it arrived; until that is known, of its first attempt or its acceptance */
  deliveredAt: Date;
}

/** A fetch of which is known whether a person made it. */
export interface DecidedFetch extends Pick<TrackedFetch, 'id' | 'kind' | 'url' | 'ip'> {
  messageId: string;
  at: Date;
  userAgent: string;
  /** null: a person */
  botReason: BotReason | null;
}

/** What fetches do to one message. */
export interface MessageTracking {
  message: TrackedMessage;
  opens: number;
  clicks: number;
  status: MessageStatus;
  /** the first ones of people at all; of each a fact of statistics */
  firstOpenAt: Date | null;
  firstClickAt: Date | null;
  lastAt: Date;
}

const TRACKED_STATUSES = {
  open: { from: ['Delivered'], to: 'Opened' },
  click: { from: ['Delivered', 'Opened'], to: 'Clicked' },
} as const satisfies Record<string, { from: readonly MessageStatus[]; to: MessageStatus }>;

/** Spec 2-messages §7: nothing moves backwards, and what is no delivered message any more keeps its status. */
export function statusAfterFetch(status: MessageStatus, kind: 'open' | 'click'): MessageStatus {
  const { from, to } = TRACKED_STATUSES[kind];
  return (from as readonly MessageStatus[]).includes(status) ? to : status;
}

/** One change per message that a person fetched something of; what machines fetch moves nothing (§11 rule 8). */
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

/** The event of a fetch, a machine's or not. Its id is that of the fetch. */
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

import type { MessageChangedEvent } from '@postmesh/messages-contract';
import type { CountDelta } from './campaign-counts.js';
import type { ForgottenMessage } from './lock-recipients.js';

export interface Fetch {
  readonly id: string;
  readonly messageId: string;
  readonly kind: 'opened' | 'clicked';
  readonly url: string | null;
  readonly ip: string;
  readonly userAgent: string;
  readonly isBot: boolean;
  readonly createdAt: string;
}

/** @returns an empty array for a change that is no fetch */
export function fetchesOf({ id, data }: MessageChangedEvent): Fetch[] {
  const { change, fetch } = data;
  if (!fetch || (change !== 'opened' && change !== 'clicked')) return [];
  return [
    {
      id,
      messageId: data.message_id,
      kind: change,
      url: fetch.url ?? null,
      ip: fetch.ip,
      userAgent: fetch.user_agent,
      isBot: fetch.is_bot,
      createdAt: data.changed_at,
    },
  ];
}

/** The effect of fetches on one recipient. A click is no open (spec 3-marketing §7.6 rule 3). */
export interface TrackedChange<R extends ForgottenMessage> {
  readonly recipient: R;
  readonly opens: number;
  readonly clicks: number;
  readonly openedAt: string | null;
  readonly clickedAt: string | null;
}

/** @param fetches of bots count nowhere (spec 3-marketing §7.6 rule 2) */
export function foldFetches<R extends ForgottenMessage>(
  recipients: readonly R[],
  fetches: ReadonlyMap<string, Fetch[]>,
): TrackedChange<R>[] {
  return recipients.flatMap((recipient) => {
    const counted = (fetches.get(recipient.messageId) ?? []).filter(({ isBot }) => !isBot);
    if (counted.length === 0) return [];
    const opens = timesOf(counted, 'opened');
    const clicks = timesOf(counted, 'clicked');
    const [openedAt = null] = opens;
    const [clickedAt = null] = clicks;
    return [{ recipient, opens: opens.length, clicks: clicks.length, openedAt, clickedAt }];
  });
}

/** The first one first: times are in UTC, so their texts sort like the times. */
const timesOf = (fetches: readonly Fetch[], wanted: Fetch['kind']): string[] =>
  fetches
    .filter(({ kind }) => kind === wanted)
    .map(({ createdAt }) => createdAt)
    .toSorted();

export const countsOf = ({ recipient, opens, clicks }: TrackedChange<ForgottenMessage>): CountDelta => ({
  campaignId: recipient.campaignId,
  opens,
  clicks,
  opened: opens > 0 && !recipient.opened ? 1 : 0,
  clicked: clicks > 0 && !recipient.clicked ? 1 : 0,
});

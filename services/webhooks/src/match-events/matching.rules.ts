import type { WebhookEntity } from '../database/webhook.entity.js';
import { receptionBefore, type PublicEvent } from '../webhook-events/event-payloads.rules.js';
import { EVENT_FLAGS, type EventFlag } from '../webhook-events/webhook-events.table.js';

/** A webhook, as far as matching and calling need it. One that is disabled misses the event, and can recover it. */
export type Listener = Pick<
  WebhookEntity,
  'id' | 'account_id' | 'created_at' | 'updated_at' | 'url' | 'enabled' | 'scope' | 'domains' | 'events'
>;

/** An event that an account's webhooks are to be told of. */
export interface Telling {
  event: PublicEvent;
  trace: string | null;
}

/** One webhook is to be told of one event. */
export interface PlannedCall extends Telling {
  listener: Listener;
}

/** The reception of one message for one webhook: requested once. */
export interface Reception {
  messageId: string;
  webhookId: string;
}

export interface Planned {
  call: PlannedCall;
  /** the call is a reception: whoever claims it first requests it */
  reception?: Reception;
}

/** Event on, and scope global or the event's domain among the webhook's (spec 2-messages §18.12). */
export function wants(listener: Listener, flag: EventFlag, domain: string): boolean {
  return listener.events.includes(flag) && (listener.scope === 'global' || listener.domains.includes(domain));
}

/**
 * The calls of one event, in the order in which they are to be queued. Events come in streams of their own; of one
 * message the reception is told first (spec 2-messages §18.10), so where an event may have come before it, the
 * reception goes in front.
 */
export function planCalls(telling: Telling, listeners: readonly Listener[], now: Date): Planned[] {
  const { event } = telling;
  const reception = receptionOfLater(telling, now);
  return listeners
    .filter((listener) => wants(listener, event.flag, event.domain))
    .flatMap((listener): Planned[] => {
      const call = { ...telling, listener };
      if (event.flag === 'on_reception') return [{ call, reception: ofMessage(event, listener) }];
      const overtaken =
        reception !== undefined &&
        wants(listener, 'on_reception', event.domain) &&
        listener.updated_at <= reception.acceptedAt;
      if (!overtaken) return [{ call }];
      return [{ call: { ...reception.telling, listener }, reception: ofMessage(event, listener) }, { call }];
    });
}

const ofMessage = ({ messageId = '' }: PublicEvent, { id }: Listener): Reception => ({
  messageId,
  webhookId: id,
});

// An outcome that comes before its reception comes soon after it; later ones need no look back.
export const LOOK_BACK_MS = 6 * 3_600_000;

/**
 * The reception of a message that something later is told of, while one may overtake the other. Only of webhooks that were
 * set up like this when the message was stored: otherwise its reception was none of their business.
 */
function receptionOfLater(
  { event, trace }: Telling,
  now: Date,
): { telling: Telling; acceptedAt: Date } | undefined {
  const acceptedAt = event.messageId === undefined ? undefined : acceptedAtOf(event.messageId);
  if (!acceptedAt || now.getTime() - acceptedAt.getTime() >= LOOK_BACK_MS) return undefined;
  return { telling: { event: receptionBefore(event, acceptedAt.toISOString()), trace }, acceptedAt };
}

/** When a message was stored: its id is a UUIDv7, made at that moment. undefined for another kind of id. */
export function acceptedAtOf(messageId: string): Date | undefined {
  const hex = messageId.replaceAll('-', '');
  return hex[12] === '7' ? new Date(Number.parseInt(hex.slice(0, 12), 16)) : undefined;
}

/** How an account stands before its events are matched: webhooks per flag. */
export interface Standing extends Record<EventFlag, number> {
  account_id: string;
  /** earlier events of it are still being told: these come behind them */
  behind: boolean;
}

/**
 * A transaction of a batch requests this many calls at most, of one account and of all, but for receptions in front
 * of what overtook them: they are its share of what others wait for. The rest is told piece by piece.
 */
export const AT_ONCE = { perAccount: 2_000, perBatch: 5_000 };

/** Which accounts' events are told with the batch, and which behind it: small ones first. */
export function divide(
  tellings: ReadonlyMap<string, readonly Telling[]>,
  standings: ReadonlyMap<string, Standing>,
): { now: string[]; later: string[] } {
  const weighed = [...tellings].map(([accountId, list]) => {
    const standing = standings.get(accountId);
    const calls = list.reduce((sum, { event }) => sum + (standing?.[event.flag] ?? 0), 0);
    return { accountId, calls, behind: standing?.behind ?? false };
  });
  const divided: { now: string[]; later: string[] } = { now: [], later: [] };
  let sum = 0;
  for (const { accountId, calls, behind } of weighed.sort((a, b) => a.calls - b.calls)) {
    const fits = !behind && calls <= AT_ONCE.perAccount && sum + calls <= AT_ONCE.perBatch;
    if (fits) sum += calls;
    divided[fits ? 'now' : 'later'].push(accountId);
  }
  return divided;
}

/** What a look at webhooks has to say about these events, and no more: an account may cover ten thousand domains. */
export function asked(tellings: Iterable<Telling>): { flags: EventFlag[]; domains: string[] } {
  const flags = new Set<EventFlag>();
  const domains = new Set<string>();
  for (const { event } of tellings) {
    flags.add(event.flag);
    domains.add(event.domain);
  }
  return { flags: EVENT_FLAGS.filter((flag) => flags.has(flag)), domains: [...domains] };
}

import type { ConsoleSchemas, Schemas } from '../api/client';
import { t } from '../words/words';
import type { Tone } from '../ui/badge';
import { DELIVERY_TONES, type Delivery } from '../webhooks/delivery-state';

type Message = Schemas['MessageSummary'];
type Attempt = Message['delivery_attempts'][number];
/** How a message was delivered, and what it waits for. */
export type MessageAttempts = ConsoleSchemas['MessageAttempts'];
type AttemptDetails = MessageAttempts['data'][number];

export interface Step {
  readonly at: string;
  readonly tone: Tone;
  readonly title: string;
  /** what it means, in plain words */
  readonly meaning?: string;
  /** what the remote server said, as it said it */
  readonly said?: string;
  /** the check of the doctor of its domain that explains what was said */
  readonly check?: NonNullable<AttemptDetails['check']>;
  /** the call of a webhook or a route */
  readonly call?: Pick<Delivery, 'id' | 'endpoint_id'>;
  /** its server, encryption and class */
  readonly facts?: readonly (readonly [name: string, value: string])[];
}

export interface Wait {
  readonly why: string;
  /** the words of the provider, or of what holds it up */
  readonly said?: string;
  /** the next try */
  readonly next?: Date;
  /** after this there is no further try */
  readonly until?: Date;
}

const WINDOW = 24 * 60 * 60_000;
/** A message that nothing holds up is tried within this time. */
const PROMPT = 60_000;

const TONES: Record<string, Tone> = {
  Delivery: 'good',
  TransientFailure: 'warn',
  Bounce: 'bad',
  Expiration: 'bad',
  Suppression: 'bad',
  Cancellation: 'plain',
};

/** A call, with the name of its webhook or route; undefined for one that is deleted. */
export type NamedCall = Delivery & { readonly name?: string | undefined };

/** Everything that happened to a message, from its acceptance to the last call of a webhook. */
export function storyOf(
  message: Message,
  details: readonly AttemptDetails[] = [],
  calls: readonly NamedCall[] = [],
): Step[] {
  const accepted: Step = {
    at: message.created_at,
    tone: 'plain',
    title: message.direction === 'inbound' ? t.story.received : t.story.accepted,
  };
  const attempts = message.delivery_attempts.map((attempt, nth): Step => {
    const meaning = meaningOf(attempt);
    const about = details[nth];
    const isSame = about?.finished_at === attempt.time;
    return {
      ...(isSame ? { facts: factsOf(about) } : {}),
      ...(isSame && about.check !== null ? { check: about.check } : {}),
      at: attempt.time,
      tone: TONES[attempt.status] ?? 'plain',
      title: titleOf(attempt),
      ...(meaning === undefined ? {} : { meaning }),
      ...(attempt.log === '' ? {} : { said: attempt.log }),
    };
  });
  const late: Step[] =
    message.status === 'Bounced' && message.delivered_at !== null
      ? [{ at: message.updated_at, tone: 'bad', title: t.story.lateBounce }]
      : [];
  const rest = [...attempts, ...late, ...calls.map(callStep)];
  return [accepted, ...rest.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))];
}

/** The state of a call, and the answer to its last try. */
function callStep({ id, endpoint_id, ...call }: NamedCall): Step {
  const { target, event_type, state, status, reason, attempts, replay_of, recovered_at } = call;
  const answer = reason ?? status;
  return {
    at: call.created_at,
    tone: recovered_at === null ? DELIVERY_TONES[state] : 'good',
    title: t.story.calls[target](event_type, call.name),
    call: { id, endpoint_id },
    facts: [
      [t.deliveries.state, recovered_at === null ? t.deliveries.states[state] : t.deliveries.recovered],
      ...(answer === null ? [] : [[t.deliveries.answer, String(answer)] as const]),
      ...(attempts > 1 ? [[t.deliveries.tries, String(attempts)] as const] : []),
      ...(replay_of === null ? [] : [[t.story.calls.repeats, t.yes] as const]),
    ],
  };
}

const PROOFS: Readonly<Record<string, string>> = t.story.tlsVerdicts;
const POLICIES: Readonly<Record<string, string>> = t.story.tlsPolicies;

function factsOf({ host, address, tls, classification, uncertain }: AttemptDetails): [string, string][] {
  const facts: [string, string][] = [];
  if (host !== null) facts.push([t.story.host, address === null ? host : `${host} (${address})`]);
  if (tls !== null) facts.push([t.story.tls, tlsText(tls)]);
  if (classification !== null) {
    const meaning = (t.story.classes as Readonly<Record<string, string>>)[classification];
    facts.push([t.message.class, meaning === undefined ? classification : `${classification}: ${meaning}`]);
  }
  if (uncertain) facts.push([t.story.uncertain, t.story.uncertainText]);
  return facts;
}

/** `TLSv1.3 TLS_AES_256_GCM_SHA384, the certificate is proved by a CA, required by MTA-STS` */
function tlsText({ encrypted, protocol, cipher, verdict, policy }: NonNullable<AttemptDetails['tls']>) {
  if (!encrypted) return t.story.noTls;
  const used = [protocol ?? t.story.encrypted, cipher].filter((part) => part !== null).join(' ');
  return [used, PROOFS[verdict ?? ''], POLICIES[policy ?? '']]
    .filter((part) => part !== undefined)
    .join(', ');
}

const titleOf = ({ status }: Attempt): string =>
  t.story.attempts[status as keyof typeof t.story.attempts] ?? status;

/** The enhanced status code (RFC 3463) explains most; else the reply code (RFC 5321); else words of our own log. */
export function meaningOf({ status, log }: Attempt): string | undefined {
  if (status === 'Delivery' || status === 'Cancellation') return undefined;
  const enhanced = /\b[45]\.(\d{1,3}\.\d{1,3})\b/.exec(log)?.[1];
  const byCode = enhanced === undefined ? undefined : t.replies[enhanced as keyof typeof t.replies];
  if (byCode !== undefined) return byCode;
  if (/^(?:\D*\b)?421\b/.test(log)) return t.replies.busy;
  if (/\b452\b/.test(log)) return t.replies['2.2'];
  if (/\b55\d\b/.test(log)) return t.replies.refused;
  if (/\b4[25]\d\b/.test(log)) return t.replies.later;
  if (/timed? ?out|timeout|ETIMEDOUT/i.test(log)) return t.replies['4.1'];
  if (/connect|ECONN/i.test(log)) return t.replies['4.2'];
  return undefined;
}

/** The state of its domain decides, too: a message of a paused domain is held back. */
export interface DomainState {
  readonly paused: boolean;
  readonly dns_valid: boolean;
  readonly pause_reason: string | null;
}

/**
 * Why a message is still under way, and until when.
 * @param attempts undefined: they are being read
 * @returns undefined for a message that has ended
 */
export function waitOf(
  message: Message,
  attempts: MessageAttempts | undefined,
  { now, domain }: { now: number; domain?: DomainState | undefined },
): Wait | undefined {
  const isOpen = ['Scheduled', 'Received', 'Deferred'].includes(message.status);
  const wait = attempts?.wait;
  if (!isOpen || message.direction === 'inbound' || !wait) return undefined;
  const held = message.status === 'Scheduled' ? undefined : heldBy(domain);
  const first = message.sent_at ?? message.delivery_attempts[0]?.time;
  return {
    why: held ?? whyOf(message, wait, now),
    ...(wait.reason !== null && held === undefined ? { said: wait.reason } : {}),
    ...(wait.until !== null && TIMED.has(wait.cause ?? '') ? { next: new Date(wait.until) } : {}),
    ...(first === undefined ? {} : { until: new Date(Date.parse(first) + WINDOW) }),
  };
}

/** The time of these is that of the next try. */
const TIMED = new Set(['scheduled', 'retry', 'provider', 'domain', 'warm_up', 'way']);

const heldBy = (domain: DomainState | undefined): string | undefined =>
  domain?.paused
    ? t.story.domainPaused(domain.pause_reason ?? '')
    : domain && !domain.dns_valid
      ? t.story.domainInvalid
      : undefined;

function whyOf(message: Message, { cause }: NonNullable<MessageAttempts['wait']>, now: number): string {
  const last = message.delivery_attempts.at(-1);
  if (cause === 'retry' || (cause === null && last)) return (last && meaningOf(last)) ?? t.story.deferred;
  if (cause !== 'turn' && cause !== null) return t.story.waits[cause];
  const isPrompt = now - Date.parse(last?.time ?? message.created_at) < PROMPT;
  return last ? t.story.nextIsDue : isPrompt ? t.story.queued : t.story.queuedLong;
}

export function toneOf(status: string): Tone {
  const plain = status.replace('Sandbox ', '');
  if (plain === 'Delivered' || plain === 'Opened' || plain === 'Clicked') return 'good';
  if (plain === 'Deferred') return 'warn';
  if (plain === 'Bounced' || plain === 'Failed' || plain === 'Suppressed') return 'bad';
  return 'plain';
}

import type { Schemas } from '../api/client';
import { t } from '../words/words';
import type { Tone } from '../ui/badge';

type Message = Schemas['MessageSummary'];
type Attempt = Message['delivery_attempts'][number];

export interface Step {
  readonly at: string;
  readonly tone: Tone;
  readonly title: string;
  /** what it means, in plain words */
  readonly meaning?: string;
  /** what the remote server said, as it said it */
  readonly said?: string;
}

export interface Wait {
  readonly why: string;
  /** the next try, between two times */
  readonly next?: readonly [earliest: Date, latest: Date];
  /** after this there is no further try */
  readonly until?: Date;
}

const MINUTE = 60_000;
/** Minutes after the failure of each attempt, and the share by which each may differ (docs/contract/2-messages.md, Retries). */
const RETRIES = [5, 15, 40, 120, 240, 360, 600];
const SPREAD = 0.1;
const WINDOW = 24 * 60 * MINUTE;
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

/** Everything that happened to a message, the first thing first. */
export function storyOf(message: Message): Step[] {
  const accepted: Step = {
    at: message.created_at,
    tone: 'plain',
    title: message.direction === 'inbound' ? t.story.received : t.story.accepted,
  };
  const attempts = message.delivery_attempts.map((attempt): Step => {
    const meaning = meaningOf(attempt);
    return {
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
  return [accepted, ...attempts, ...late];
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

/** Why a message is still under way, and until when. @returns undefined for a message that has ended */
export function waitOf(message: Message, now: number, domain?: DomainState): Wait | undefined {
  if (message.status === 'Scheduled') return { why: t.story.scheduled };
  if (message.status !== 'Received' && message.status !== 'Deferred') return undefined;
  if (message.direction === 'inbound') return undefined;
  const held = domain?.paused
    ? t.story.domainPaused(domain.pause_reason ?? '')
    : domain && !domain.dns_valid
      ? t.story.domainInvalid
      : undefined;
  const last = message.delivery_attempts.at(-1);
  if (message.status === 'Received' || last === undefined) {
    if (held !== undefined) return { why: held };
    const age = now - Date.parse(message.created_at);
    return { why: age < PROMPT ? t.story.queued : t.story.queuedLong };
  }
  const failures = message.delivery_attempts.filter(
    (attempt) => attempt.status === 'TransientFailure',
  ).length;
  const delay = (RETRIES[Math.min(failures, RETRIES.length) - 1] ?? 5) * MINUTE;
  const from = Date.parse(last.time);
  const first = Date.parse(message.sent_at ?? message.delivery_attempts[0]?.time ?? message.created_at);
  return {
    why: held ?? meaningOf(last) ?? t.story.deferred,
    next: [new Date(from + delay * (1 - SPREAD)), new Date(from + delay * (1 + SPREAD))],
    until: new Date(first + WINDOW),
  };
}

export function toneOf(status: string): Tone {
  const plain = status.replace('Sandbox ', '');
  if (plain === 'Delivered' || plain === 'Opened' || plain === 'Clicked') return 'good';
  if (plain === 'Deferred') return 'warn';
  if (plain === 'Bounced' || plain === 'Failed' || plain === 'Suppressed') return 'bad';
  return 'plain';
}

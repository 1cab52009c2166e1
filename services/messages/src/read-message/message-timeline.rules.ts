import type { WaitCause, WaitingDelivery } from '@postmesh/delivery-worker-contract';
import { shownStatus } from '../message-status/message-status.rules.js';
import type { StoredAttempt, StoredFetch, StoredMessage } from './messages.repository.js';

/** The reason and the end of a message's wait; nulls when it does not wait. */
export interface Wait {
  cause: WaitCause | null;
  reason: string | null;
  /** RFC 3339; null: unknown */
  until: string | null;
}

/**
 * @param delivery from the delivery worker; undefined = it has none, null = the worker is unavailable, so that only the
 * facts of events are known
 */
export function waitingFor(
  message: Pick<StoredMessage, 'status' | 'firstAttempt' | 'attempts'>,
  delivery: Pick<WaitingDelivery, 'waiting_for' | 'waiting_until' | 'cause'> | undefined | null,
  now: Date,
): Wait {
  if (delivery) {
    return { cause: delivery.cause ?? null, reason: delivery.waiting_for, until: delivery.waiting_until };
  }
  const known = knownWait(message, now);
  if (delivery === null) {
    return { ...known, reason: `${known.reason} (the delivery worker does not answer)` };
  }
  if (message.attempts.length === 0) {
    return {
      cause: 'turn',
      reason: 'the delivery worker to take it in, or the news of its end',
      until: null,
    };
  }
  return { cause: 'turn', reason: 'the news of its end, which is on its way', until: null };
}

/** The wait by the events alone. */
function knownWait(
  { status, firstAttempt, attempts }: Pick<StoredMessage, 'status' | 'firstAttempt' | 'attempts'>,
  now: Date,
): Wait {
  const last = attempts.at(-1);
  if (shownStatus(status, firstAttempt, now) === 'Scheduled') {
    return { cause: 'scheduled', reason: 'its scheduled time', until: firstAttempt?.toISOString() ?? null };
  }
  if (!last) return { cause: 'turn', reason: 'its first attempt', until: null };
  return { cause: 'retry', reason: last.log || 'its next attempt', until: last.nextAttemptAt };
}

/** A step of a message, for people. */
interface TimelineEntry {
  at: string;
  what: string;
  /** name of the remote server */
  host: string | null;
  /** of that server, or of the client of an open or click */
  address: string | null;
  /** id of our source address, where there are several */
  source: string | null;
  /** `none` = in clear text; null = no server was contacted */
  tls: string | null;
  reply: string | null;
  classification: string | null;
  /** the deciding row of docs/replies.md */
  rule: string | null;
  duration_ms: number | null;
  next_attempt_at: string | null;
}

const STEP: Omit<TimelineEntry, 'at' | 'what'> = {
  host: null,
  address: null,
  source: null,
  tls: null,
  reply: null,
  classification: null,
  rule: null,
  duration_ms: null,
  next_attempt_at: null,
};

/** The steps of a message, oldest first; the last entry is its current wait. */
export function timelineOf(
  message: StoredMessage,
  { wait, fetches, now }: { wait: Wait; fetches: readonly StoredFetch[]; now: Date },
): TimelineEntry[] {
  const accepted = { ...STEP, at: message.createdAt.toISOString(), what: 'accepted' };
  const attempts = message.attempts.map(attemptEntry);
  const waiting =
    wait.reason === null
      ? []
      : [{ ...STEP, at: now.toISOString(), what: `waits for ${wait.reason}`, next_attempt_at: wait.until }];
  return [accepted, ...attempts, ...fetches.map(fetchEntry), ...waiting];
}

const DONE = { open: 'opened', click: 'clicked' } as const;

const fetchEntry = ({ kind, at, url, ip, isBot }: StoredFetch): TimelineEntry => ({
  ...STEP,
  at: at.toISOString(),
  what: isBot ? `${DONE[kind]}, by a program` : DONE[kind],
  address: ip,
  reply: url,
});

const attemptEntry = (attempt: StoredAttempt): TimelineEntry => ({
  at: attempt.finishedAt,
  what: attempt.uncertain ? `${attempt.status}, uncertain: it may have arrived` : attempt.status,
  host: attempt.remoteHost,
  address: attempt.remoteAddress,
  source: attempt.source,
  tls: tlsText(attempt),
  reply: attempt.log,
  classification: attempt.classification || null,
  rule: attempt.replyRule,
  duration_ms:
    attempt.startedAt === null ? null : Date.parse(attempt.finishedAt) - Date.parse(attempt.startedAt),
  next_attempt_at: attempt.nextAttemptAt,
});

const VERDICTS: Readonly<Record<string, string>> = {
  untrusted: 'not verified',
  pkix: 'verified by a CA',
  dane: 'verified by DANE',
};
const POLICIES: Readonly<Record<string, string>> = { sts: 'MTA-STS asks for it', dane: 'DANE asks for it' };

/** `TLSv1.3 TLS_AES_256_GCM_SHA384, verified by a CA, required by MTA-STS` */
function tlsText({ tls, tlsProtocol, tlsCipher, tlsVerdict, tlsPolicy }: StoredAttempt): string | null {
  if (tls === null) return null;
  const used = tls ? [tlsProtocol ?? 'yes', tlsCipher].filter((part) => part !== null).join(' ') : 'none';
  const parts = [used, VERDICTS[tlsVerdict ?? ''], POLICIES[tlsPolicy ?? '']];
  return parts.filter((part) => part !== undefined).join(', ');
}

import type { RemoteReply } from '@postmesh/contracts';
import type { DnsFailure, Unroutable } from '../mx/mx.rules.js';
import type { DeliveryResult, Postponed } from '../smtp-client/pool-job.js';
import type { BounceClass } from './bounce-rules.table.js';
import { classifyFailure } from './classify-failure.rules.js';
import { nextRetry, windowEnd } from './retry-schedule.rules.js';
import type { DeliveryWindow, GiveUpReason, RetryPlan } from './retry-schedule.rules.js';

/** The message may not leave now: sending domain paused or without valid DNS, account suspended (spec 2-messages §8.5, §14.8). */
export interface Held {
  readonly kind: 'held';
  readonly response: string;
}

/** Everything that an attempt can meet. */
export type AttemptMet = DeliveryResult | Postponed | Unroutable | DnsFailure | Held;

export interface AttemptContext extends DeliveryWindow {
  /** attempts of this message that failed before this one */
  readonly failuresBefore: number;
  readonly now: Date;
  /** 0..1 */
  readonly random: number;
  readonly plan?: RetryPlan | undefined;
}

export interface AttemptDecision {
  /** `postponed`: nobody was asked, so nothing happened that anybody should hear of */
  readonly outcome: 'delivered' | 'deferred' | 'bounced' | 'failed' | 'postponed';
  readonly nextAttemptAt: Date | null;
  /** what was said, for the attempt; null when nobody was asked */
  readonly reply: RemoteReply | null;
  /** of the message, when it ends without being delivered */
  readonly classification: BounceClass | null;
  /** the message may have arrived all the same */
  readonly uncertain: boolean;
  /** it counts as an attempt */
  readonly counted: boolean;
  readonly remoteHost: string | null;
  readonly tls: boolean;
  readonly giveUp: GiveUpReason | null;
}

/**
 * From what an attempt met to what becomes of the message (spec 2-messages §14.4-5): 5xx bounces at once, everything
 * else waits for its next time until attempts or window are used up.
 */
export function decideAttempt(met: AttemptMet, context: AttemptContext): AttemptDecision {
  if (met.kind === 'postponed') return decidePostponed(met, context);
  if (met.kind === 'accepted') return { ...basis(met), outcome: 'delivered', reply: answerOf(met, null) };
  const classification = met.kind === 'held' ? 'TransientFailure' : classifyFailure(met);
  const reply =
    met.kind === 'held' ? ownResponse(met.response, classification) : answerOf(met, classification);
  if (met.kind === 'rejected' || met.kind === 'unroutable') {
    return { ...basis(met), outcome: 'bounced', reply, classification };
  }
  const retry = nextRetry(context.failuresBefore + 1, context, {
    now: context.now,
    random: context.random,
    ...(context.plan === undefined ? {} : { plan: context.plan }),
  });
  if ('at' in retry) return { ...basis(met), outcome: 'deferred', reply, nextAttemptAt: retry.at };
  return { ...basis(met), outcome: 'failed', reply, classification: 'MessageExpired', giveUp: retry.giveUp };
}

/** Comes back when the hosts may be asked again; that costs no attempt, but the window goes on. */
function decidePostponed(met: Postponed, context: AttemptContext): AttemptDecision {
  const end = windowEnd(context, context.plan);
  const at = new Date(Math.max(met.notBefore, context.now.getTime()));
  if (at < end.at)
    return { ...basis(met), outcome: 'postponed', reply: null, nextAttemptAt: at, counted: false };
  const reply = ownResponse(met.response, 'NoAnswerFromHost');
  return {
    ...basis(met),
    outcome: 'failed',
    reply,
    classification: 'MessageExpired',
    giveUp: end.by,
    counted: false,
  };
}

function basis(met: AttemptMet) {
  const spoken = 'dataSent' in met ? met : undefined;
  return {
    nextAttemptAt: null,
    classification: null,
    uncertain: spoken?.kind === 'connection-lost' && spoken.dataSent === 'complete',
    counted: true,
    remoteHost: spoken?.remoteHost ?? null,
    tls: spoken?.tls ?? false,
    giveUp: null,
  };
}

function answerOf(
  met: DeliveryResult | Unroutable | DnsFailure,
  classification: BounceClass | null,
): RemoteReply {
  return {
    smtp_code: met.smtpCode,
    ...(met.enhancedStatusCode === undefined ? {} : { enhanced_status_code: met.enhancedStatusCode }),
    ...(met.response === '' ? {} : { response: met.response }),
    ...('command' in met ? { command: met.command } : {}),
    ...(classification === null ? {} : { classification }),
  };
}

function ownResponse(response: string, classification: BounceClass): RemoteReply {
  return { smtp_code: 0, response, classification };
}

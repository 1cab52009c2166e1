import type { DeliveryOutcome, GiveUpReason, RemoteReply } from '@postmesh/delivery-worker-contract';
import { judgeReply, type AboutReply, type BounceClass, type ReplyVerdict } from '@postmesh/smtp-replies';
import type { ConnectionFacts, SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import { nextRetry, windowEnd } from './retry-schedule.rules.js';
import type { DeliveryWindow, RetryPlan } from './retry-schedule.rules.js';

export interface AttemptContext extends DeliveryWindow {
  /** attempts of this message that failed before this one */
  readonly failuresBefore: number;
  readonly now: Date;
  /** 0..1 */
  readonly random: number;
  readonly plan: RetryPlan;
  /** facts about the host that replied */
  readonly about?: AboutReply;
}

/** The decision of an attempt about its message. A record of the attempt holds all of it. */
export interface AttemptOutcome {
  /** `postponed`: no server was asked, so there is nothing to publish */
  readonly outcome: DeliveryOutcome | 'postponed';
  readonly nextAttemptAt: Date | null;
  /** the reply, with the kind of failure that it means; null when no server was asked */
  readonly reply: RemoteReply | null;
  /** why the message ends without being delivered: about the message, not its last reply (spec 2-messages §8.3) */
  readonly classification: BounceClass | null;
  /** the message may have arrived nevertheless */
  readonly uncertain: boolean;
  /** it counts as an attempt */
  readonly counted: boolean;
  readonly remoteHost: string | null;
  readonly tls: boolean;
  /** missing when no server was asked */
  readonly connection?: ConnectionFacts;
  /** id of the source address, where there are several */
  readonly source?: string;
  /** the limit that ended it, when no server rejected it */
  readonly giveUp: GiveUpReason | null;
  /** the meaning of the reply; missing when it was accepted, and when no server was asked */
  readonly verdict?: ReplyVerdict;
}

/**
 * From the outcome of a transaction to that of the message (spec 2-messages §14.4-5): 5xx bounces at once, every other
 * failure waits for the next attempt until attempts or window are used up.
 */
export function decideAttempt(smtp: SmtpOutcome, context: AttemptContext): AttemptOutcome {
  if (smtp.kind === 'postponed') return decidePostponed(smtp, context);
  const basis = basisOf(smtp);
  if (smtp.kind === 'accepted') return { ...basis, outcome: 'delivered' };
  const verdict = judgeReply(smtp, context.about);
  const { class: classification, kind, rule } = verdict;
  const failed = { ...basis, verdict, reply: { ...basis.reply, classification, kind, rule } };
  if (smtp.kind === 'rejected' || smtp.kind === 'unroutable') {
    return { ...failed, outcome: 'bounced', classification };
  }
  const failures = context.failuresBefore + 1;
  const random = retryLuck(verdict, failures, context.random);
  const retry = nextRetry(failures, context, { ...context, random });
  if ('at' in retry) return { ...failed, outcome: 'deferred', nextAttemptAt: retry.at };
  return { ...failed, outcome: 'failed', classification: 'MessageExpired', giveUp: retry.giveUp };
}

/** Greylists often wait 300 s, which is when retry 1 is due: it comes in the later half of its jitter. */
const retryLuck = ({ kind }: ReplyVerdict, failures: number, random: number): number =>
  kind === 'grey' && failures === 1 ? (1 + random) / 2 : random;

/** Retried when the hosts may be asked; that counts no attempt, but the window continues. */
function decidePostponed(smtp: SmtpOutcome, context: AttemptContext): AttemptOutcome {
  const basis = { ...basisOf(smtp), counted: false };
  const end = windowEnd(context, context.plan);
  const now = context.now.getTime();
  const at = new Date(Math.max(smtp.notBefore ?? 0, now + (smtp.waitMs ?? 0)));
  if (at < end.at) return { ...basis, outcome: 'postponed', reply: null, nextAttemptAt: at };
  const reply = { ...basis.reply, classification: 'NoAnswerFromHost' };
  return { ...basis, outcome: 'failed', reply, classification: 'MessageExpired', giveUp: end.by };
}

function basisOf(smtp: SmtpOutcome) {
  return {
    nextAttemptAt: null,
    reply: remoteReply(smtp),
    classification: null,
    uncertain: smtp.kind === 'connection-lost' && smtp.dataSent === 'complete',
    counted: true,
    remoteHost: smtp.remoteHost ?? null,
    tls: smtp.tls ?? false,
    connection: smtp.connection,
    source: smtp.source,
    giveUp: null,
  };
}

function remoteReply(smtp: SmtpOutcome): RemoteReply {
  return {
    smtp_code: smtp.smtpCode,
    enhanced_status_code: smtp.enhancedStatusCode,
    response: smtp.response === '' ? undefined : smtp.response,
    command: smtp.command,
  };
}

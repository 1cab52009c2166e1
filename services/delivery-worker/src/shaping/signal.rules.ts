import { judgeReply, type ReplyKind, type ReplyShape, type ReplyVerdict } from '@postmesh/smtp-replies';
import { providerOfGroup, RELAY_GROUP } from '../mx/group-key.rules.js';
import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import type { GroupResult } from './group-limits.port.js';

/** The verdict of the reply table; undefined where no server replied, or the reply was not negative. */
export function judge(outcome: SmtpOutcome, groupKey: string): ReplyVerdict | undefined {
  if (!isRemote(outcome) || outcome.kind === 'accepted') return undefined;
  return judgeReply(outcome, { provider: providerOfGroup(groupKey), relayed: groupKey === RELAY_GROUP });
}

/** The meaning of a result for the limits of its group. */
export interface Signal extends ReplyShape {
  /** the row of the reply table; `after` counts by it */
  readonly rule: string;
  readonly connectionsOnly?: boolean;
}

/** Kinds about the recipient, the message or its signature, with any code. */
const NOT_OF_LIMITS: ReadonlySet<ReplyKind> = new Set<ReplyKind>([
  'mailbox',
  'inactive',
  'domain',
  'sender',
  'quota',
  'size',
  'content',
  'auth',
  'grey',
  'protocol',
]);

/** A host that reports trouble of its own: the next one may accept. RFC 3463: x.3.x is the mail system's state. */
const isOwnTrouble = ({ enhancedStatusCode }: SmtpOutcome): boolean =>
  enhancedStatusCode?.startsWith('4.3.') === true;

const isPolicy = ({ enhancedStatusCode }: SmtpOutcome): boolean =>
  enhancedStatusCode?.startsWith('4.7.') === true;

/** TLS and passwords: their replies have codes of policies, and say nothing about limits. */
const isOfSecurity = ({ command }: SmtpOutcome): boolean => command === 'STARTTLS' || command === 'AUTH';

const isWeak = ({ smtpCode, enhancedStatusCode }: SmtpOutcome): boolean =>
  enhancedStatusCode === '4.4.5' || (smtpCode === 451 && enhancedStatusCode?.startsWith('4.3.') === true);

/** A reply of a server. Texts of our own have no code and never match: they would confirm our own reaction. */
const isRemote = ({ smtpCode }: SmtpOutcome): boolean => smtpCode > 0;

/** @param verdict of the reply table; undefined where no server replied */
export function signalOf(result: GroupResult, verdict: ReplyVerdict | undefined): Signal | undefined {
  const { outcome } = result;
  if (!isRemote(outcome)) return ofConnection(result);
  if (outcome.kind === 'accepted' || isOfSecurity(outcome)) return undefined;
  const connectionsOnly = result.opened === false;
  if (verdict?.shape !== undefined) return { ...verdict.shape, rule: verdict.rule, connectionsOnly };
  if (outcome.kind !== 'deferred' || (verdict !== undefined && NOT_OF_LIMITS.has(verdict.kind)))
    return undefined;
  if (outcome.smtpCode === 452 || outcome.enhancedStatusCode?.startsWith('4.2.')) return undefined;
  if (endsConnection(result, verdict)) return undefined;
  if (outcome.smtpCode === 421 || isPolicy(outcome)) return byCode('halve', connectionsOnly);
  return isWeak(outcome) ? byCode('weak') : undefined;
}

/** No server replied: only a connection that is refused while others are open is a sign of a limit. */
function ofConnection({ outcome, opened, othersLive }: GroupResult): Signal | undefined {
  if (opened !== false) return undefined;
  if (outcome.failure === 'timeout') return byCode('weak');
  return othersLive === true && outcome.failure !== undefined ? byCode('halve', true) : undefined;
}

const byCode = (done: ReplyShape['do'], connectionsOnly = false): Signal => ({
  do: done,
  scope: 'source',
  rule: 'code',
  connectionsOnly,
});

/**
 * 421, a close, or "enough for one connection" before the server saw anything of the message, on a connection that was
 * idle or has carried others: it says nothing about the message, which is sent over another connection, and nothing is
 * cut.
 */
export function endsConnection(
  { outcome, reused = false }: GroupResult,
  verdict: ReplyVerdict | undefined,
): boolean {
  if (!reused || outcome.dataSent !== 'no') return false;
  if (verdict?.shape !== undefined)
    return verdict.shape.do === 'perConnection' && outcome.kind === 'deferred';
  if (outcome.kind === 'connection-lost') return true;
  // `421 4.7.0 Connection expired, try reconnecting` is about the connection, other policies are not
  return outcome.smtpCode === 421 && (!isPolicy(outcome) || verdict?.kind === 'infra');
}

/** "Slow down" counts for all hosts of a group: asking the next one would worsen our reputation. */
export function stopsWalk(outcome: SmtpOutcome, verdict: ReplyVerdict | undefined): boolean {
  if (outcome.kind !== 'deferred' || !isRemote(outcome) || isOfSecurity(outcome)) return false;
  if (verdict?.kind === 'rate' || verdict?.kind === 'reputation') return true;
  return (outcome.smtpCode === 421 && !isOwnTrouble(outcome)) || isPolicy(outcome);
}

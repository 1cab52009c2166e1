import { providerOfGroup } from '../mx/group-key.rules.js';
import type { Cause } from './learning.rules.js';

/** A slow-down by a provider, in the detail that people need. */
export interface SlowDown {
  readonly groupKey: string;
  readonly cause: Pick<Cause, 'code' | 'enhanced' | 'text' | 'host' | 'address'> | null;
  readonly until: Date;
  /** the sending domain or the account, when it is narrower than the source address */
  readonly narrowed?: { readonly scope: 'source+domain' | 'account'; readonly subject: string };
}

/** `Google slowed down 198.51.100.7 (421 4.7.28, IP address): nothing before 10:50 UTC` */
export function describeSlowDown({ groupKey, cause, until, narrowed }: SlowDown): string {
  const what =
    narrowed === undefined ? (cause?.address ?? 'us') : NARROWED[narrowed.scope](narrowed.subject, cause);
  const about =
    narrowed === undefined ? 'IP address' : narrowed.scope === 'account' ? 'account' : 'sending domain';
  return `${groupName(groupKey, cause?.host)} slowed down ${what} (${codesOf(cause)}${about}): nothing before ${timeOf(until)}`;
}

/** Whether the recorded reason of a wait is a slow-down, of any of our addresses. */
export const isSlowDown = (reason: string): boolean =>
  / slowed down .*: nothing before \d\d:\d\d UTC$/.test(reason);

/** `Google takes 0.5 messages a second from us (421 4.7.28)` */
export function describePace(by: string, perSecond: number, cause: SlowDown['cause']): string {
  const codes = codesOf(cause).replace(/, $/, '');
  const pace = Number(perSecond.toPrecision(2));
  return `${by} takes ${pace} messages a second from us${codes === '' ? '' : ` (${codes})`}`;
}

const NARROWED = {
  'source+domain': (domain: string, cause: SlowDown['cause']) =>
    cause?.address === undefined ? domain : `${domain} from ${cause.address}`,
  account: (id: string) => `account ${id}`,
} as const;

/** The provider, or the host that replied: domains that share their hosts have no name of their own. */
export function groupName(groupKey: string, host?: string): string {
  const provider = providerOfGroup(groupKey);
  if (provider === undefined) return host ?? 'the mail host';
  return provider.charAt(0).toUpperCase() + provider.slice(1);
}

function codesOf(cause: SlowDown['cause']): string {
  if (cause === null || cause.code === 0) return '';
  return `${cause.code}${cause.enhanced === undefined ? '' : ` ${cause.enhanced}`}, `;
}

/** A suspension lasts up to twelve hours, so the day is left out. */
const timeOf = (until: Date): string => `${until.toISOString().slice(11, 16)} UTC`;

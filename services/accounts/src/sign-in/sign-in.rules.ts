import { ApiError } from '@postmesh/contracts';
import type { SystemMessage } from '../system-mail/message.rules.js';

const MINUTE_MS = 60_000;

/**
 * How long a link may be used. An invitation is read after a weekend; a link that a member has asked for, or an operator
 * hands over, is used at once.
 */
export const LINK_MS = {
  link: 15 * MINUTE_MS,
  operator: 15 * MINUTE_MS,
  invitation: 7 * 24 * 60 * MINUTE_MS,
};

export const SignInErrors = {
  badLink: () => new ApiError(401, 'this sign-in link has expired or was used already, request a new one'),
  noAccount: () => new ApiError(403, 'you are not a member of an account any more'),
} as const;

/** `2026-11-27 09:30 UTC` */
export const minuteOf = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The message with a link that a member has asked for. */
export function signInMessage(
  { url, expiresAt }: { url: string; expiresAt: Date },
  { clientIp, service }: { clientIp: string; service: string },
): SystemMessage {
  return {
    kind: 'sign-in-link',
    subject: 'Your link to sign in to Postmesh',
    opening: ['This link signs you in to the Postmesh console. It works once.'],
    action: { label: 'Sign in', url },
    facts: [
      ['Service', service],
      ['Requested from', clientIp],
      ['Works until', minuteOf(expiresAt)],
    ],
    closing: [
      'If you did not request it, ignore this message: without the link there is no sign-in, and it expires unused.',
    ],
  };
}

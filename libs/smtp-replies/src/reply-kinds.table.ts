import type { BounceClass, ReplyKind, Suppresses } from './reply.js';

interface KindMeaning {
  /** the class if no code names a fitting one */
  readonly temporary: BounceClass;
  readonly permanent: BounceClass;
  /** classes of codes that are kept */
  readonly fits: readonly BounceClass[];
  /** of a message that bounced, and of one whose retries were used up (spec 2-messages §15.3) */
  readonly bounced: Extract<Suppresses, 'hard' | 'repeated' | 'never'>;
  readonly ended: Extract<Suppresses, 'soft' | 'never'>;
}

const NEVER = { bounced: 'never', ended: 'never' } as const;
const GONE = { bounced: 'hard', ended: 'soft' } as const;
const THEIRS = { bounced: 'repeated', ended: 'soft' } as const;
const BLOCK = { temporary: 'PolicyRelated', permanent: 'PolicyRelated', fits: [], ...NEVER } as const;

const always = (name: BounceClass) => ({ temporary: name, permanent: name, fits: [] });

/**
 * The meaning of a kind for customers and for the suppression list. Only a fault of the recipient suppresses it: a
 * block of our address, our domain or this message says nothing about the recipient.
 */
export const REPLY_KINDS: Readonly<Record<ReplyKind, KindMeaning>> = {
  mailbox: { ...always('InvalidRecipient'), ...GONE },
  inactive: { ...always('InactiveMailbox'), ...GONE },
  domain: { ...always('BadDomain'), ...GONE },
  sender: { ...always('InvalidSender'), fits: ['PolicyRelated', 'AuthenticationFailed'], ...NEVER },
  quota: { ...always('QuotaIssues'), ...THEIRS },
  size: {
    temporary: 'TransientFailure',
    permanent: 'Uncategorized',
    fits: ['QuotaIssues'],
    ...NEVER,
  },
  rate: { temporary: 'TransientFailure', permanent: 'PolicyRelated', fits: ['PolicyRelated'], ...NEVER },
  reputation: BLOCK,
  spam: BLOCK,
  content: BLOCK,
  auth: { ...always('AuthenticationFailed'), ...NEVER },
  policy: BLOCK,
  grey: { temporary: 'TransientFailure', permanent: 'PolicyRelated', fits: ['PolicyRelated'], ...NEVER },
  infra: {
    temporary: 'TransientFailure',
    permanent: 'RoutingErrors',
    fits: [
      'NoAnswerFromHost',
      'BadConnection',
      'DNSFailure',
      'RoutingErrors',
      'MessageExpired',
      'QuotaIssues',
      'TransientFailure',
      'Uncategorized',
    ],
    ...THEIRS,
  },
  protocol: { ...always('ProtocolErrors'), fits: ['QuotaIssues'], ...NEVER },
  own: {
    temporary: 'TransientFailure',
    permanent: 'Uncategorized',
    fits: ['NoAnswerFromHost', 'BadConnection', 'DNSFailure', 'RoutingErrors', 'PolicyRelated'],
    ...NEVER,
  },
  other: {
    temporary: 'TransientFailure',
    permanent: 'Uncategorized',
    fits: ['MessageExpired'],
    bounced: 'repeated',
    ended: 'never',
  },
};

/** @param temporary whether the last reply was: such a message has failed, any other one has bounced */
export const suppressionOf = (kind: ReplyKind, temporary: boolean): Suppresses =>
  REPLY_KINDS[kind][temporary ? 'ended' : 'bounced'];

import { z } from 'zod';

/** Spec 2-messages §15.2. */
export const BounceClass = z.enum([
  'InvalidRecipient',
  'BadDomain',
  'InactiveMailbox',
  'InvalidSender',
  'QuotaIssues',
  'NoAnswerFromHost',
  'BadConnection',
  'DNSFailure',
  'RoutingErrors',
  'TransientFailure',
  'MessageExpired',
  'ProtocolErrors',
  'AuthenticationFailed',
  'PolicyRelated',
  'Uncategorized',
]);
export type BounceClass = z.infer<typeof BounceClass>;

const pattern = z.string().transform((source) => new RegExp(source, 'i'));

/** One line of the table. It applies when any of its conditions holds; the first line that applies decides. */
const BounceRule = z
  .strictObject({
    is: BounceClass,
    /** subject and detail of the enhanced status code (RFC 3463), as `1.1`; a range of details as `7.20-26`; `5.*` */
    enhanced: z.array(z.string().regex(/^\d+\.(?:\d+(?:-\d+)?|\*)$/)).default([]),
    smtpCodes: z.array(z.number().int().min(400).max(599)).default([]),
    /** words that decide alone, whatever the codes */
    says: pattern.optional(),
    /** words that decide when there is no enhanced code, or one without a meaning (x.0.0, x.5.0) */
    saysIfVague: pattern.optional(),
    /** `temporary` or `permanent`: only for such replies */
    only: z.enum(['temporary', 'permanent']).optional(),
    /** a real reply that the line is for, or the standard that defines it */
    because: z.string().min(1),
  })
  .refine(
    (rule) =>
      rule.enhanced.length > 0 || rule.smtpCodes.length > 0 || rule.says || rule.saysIfVague || rule.only,
    'a rule needs a condition',
  );
export type BounceRule = z.output<typeof BounceRule>;

export const BounceRules = z.array(BounceRule).min(1);

const TABLE: z.input<typeof BounceRules> = [
  {
    is: 'InvalidRecipient',
    enhanced: ['1.1', '1.0'],
    says: '\\b(user unknown|unknown user|no such user|user does(?: not|n.t) exist)\\b',
    saysIfVague:
      '\\b(no such (recipient|mailbox|person|account)|(recipient|mailbox|account|address)( \\S+)? (does(?: not|n.t) exist|not found|unknown|unavailable)|not a (valid|known) (user|recipient|mailbox)|invalid (recipient|mailbox|user)|unknown (recipient|mailbox|account)|does(?: not|n.t) have (a|an) \\S+ account)\\b',
    because: '550 5.1.1 user unknown; 550 Requested action not taken: mailbox unavailable',
  },
  {
    is: 'BadDomain',
    enhanced: ['1.2', '1.10'],
    saysIfVague:
      '\\b((domain|host)( name)? (does(?: not|n.t) exist|not found|unknown)|no such (domain|host)|unknown (domain|host))\\b',
    because: '550 5.1.2 bad destination system; RFC 7505 null MX',
  },
  {
    is: 'InactiveMailbox',
    enhanced: ['2.1'],
    says: '\\b(account|mailbox|user|recipient)( \\S+)?( is| has been)? (currently |temporarily )?(disabled|inactive|deactivated|suspended)\\b',
    because: '550 5.2.1 The email account that you tried to reach is disabled',
  },
  {
    is: 'QuotaIssues',
    enhanced: ['2.2'],
    smtpCodes: [452],
    saysIfVague:
      '\\b(over ?quota|quota exceeded|exceed\\S* (the )?quota|(mailbox|inbox)( is)? full|not enough (disk )?space)\\b',
    because: '452 4.2.2 mailbox full; 552 5.2.2 over quota',
  },
  { is: 'InvalidSender', enhanced: ['1.7', '1.8'], because: '553 5.1.8 sender domain does not exist' },
  { is: 'NoAnswerFromHost', enhanced: ['4.1'], because: 'RFC 3463 x.4.1; our code when no host answers' },
  {
    is: 'BadConnection',
    enhanced: ['4.2'],
    because: 'RFC 3463 x.4.2; our code for a broken connection',
  },
  { is: 'RoutingErrors', enhanced: ['4.3', '4.6'], because: '554 5.4.6 too many hops' },
  { is: 'DNSFailure', enhanced: ['4.4'], because: '451 4.4.4 temporary DNS trouble' },
  { is: 'MessageExpired', enhanced: ['4.7'], because: 'RFC 3463 x.4.7 delivery time expired' },
  {
    is: 'AuthenticationFailed',
    enhanced: ['7.20-26'],
    because: '550 5.7.26 unauthenticated; RFC 7372, RFC 7489',
  },
  {
    is: 'ProtocolErrors',
    enhanced: ['5.1', '5.2', '5.3', '5.4', '5.5', '5.6'],
    because: '503 5.5.1 bad sequence of commands',
  },
  {
    is: 'AuthenticationFailed',
    says: '\\b(DMARC|SPF|DKIM)\\b',
    because: '550 5.7.1 rejected by the DMARC policy of the domain',
  },
  { is: 'PolicyRelated', enhanced: ['7.*'], because: '550 5.7.1 blocked' },
  {
    is: 'PolicyRelated',
    saysIfVague:
      '\\b(spam|spamhaus|blocked|black ?list\\S*|block ?list\\S*|reputation|policy|rejected due to content|virus)\\b',
    only: 'permanent',
    because: '554 Your message looks like spam',
  },
  { is: 'ProtocolErrors', enhanced: ['5.*'], because: 'RFC 3463 x.5.x' },
  { is: 'TransientFailure', only: 'temporary', because: 'any other 4xx' },
];

/** Read once, checked: a broken line stops the worker at its start, not at the first bounce. */
export const BOUNCE_RULES: readonly BounceRule[] = BounceRules.parse(TABLE);

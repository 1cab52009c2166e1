import { describe, expect, it } from 'vitest';
import { judgeReply } from './judge-reply.rules.js';

const judge = (smtpCode: number, enhancedStatusCode: string | undefined, response = 'no') =>
  judgeReply({ smtpCode, enhancedStatusCode, response });

describe('the class of a reply', () => {
  it.each([
    [550, '5.1.1', 'no', 'InvalidRecipient'],
    [450, '4.1.1', 'no', 'InvalidRecipient'],
    [550, '5.1.0', 'no', 'InvalidRecipient'],
    [550, undefined, 'User unknown in virtual table', 'InvalidRecipient'],
    [550, '5.7.1', 'user unknown', 'InvalidRecipient'],
    [550, '5.1.2', 'no', 'BadDomain'],
    [556, '5.1.10', 'no', 'BadDomain'],
    [550, '5.2.1', 'no', 'InactiveMailbox'],
    [550, undefined, 'mailbox disabled', 'InactiveMailbox'],
    [452, '4.2.2', 'no', 'QuotaIssues'],
    [552, '5.2.2', 'no', 'QuotaIssues'],
    [452, undefined, 'no', 'QuotaIssues'],
    [452, '4.5.3', 'too many recipients', 'QuotaIssues'],
    [553, '5.1.7', 'no', 'InvalidSender'],
    [553, '5.1.8', 'no', 'InvalidSender'],
    [0, '4.4.1', 'ECONNREFUSED', 'NoAnswerFromHost'],
    [0, '4.4.2', 'ECONNRESET', 'BadConnection'],
    [554, '5.4.6', 'too many hops', 'RoutingErrors'],
    [451, '4.4.3', 'no', 'RoutingErrors'],
    [0, '4.4.4', 'SERVFAIL', 'DNSFailure'],
    [550, '5.4.7', 'expired', 'MessageExpired'],
    [503, '5.5.1', 'bad sequence', 'ProtocolErrors'],
    [554, '5.5.0', 'something', 'ProtocolErrors'],
    [550, '5.7.20', 'no', 'AuthenticationFailed'],
    [550, '5.7.26', 'no', 'AuthenticationFailed'],
    [550, '5.7.27', 'no', 'PolicyRelated'],
    [550, '5.7.1', 'rejected by the DMARC policy', 'AuthenticationFailed'],
    [550, undefined, 'SPF check failed', 'AuthenticationFailed'],
    [550, '5.7.1', 'blocked', 'PolicyRelated'],
    [450, '4.7.1', 'greylisted', 'PolicyRelated'],
    [451, undefined, 'try again later', 'TransientFailure'],
    [421, '4.3.2', 'closing', 'TransientFailure'],
    [0, '4.3.5', 'our side', 'TransientFailure'],
    [550, undefined, 'no', 'Uncategorized'],
    [554, '5.6.1', 'no', 'Uncategorized'],
    [0, '5.1.3', 'unsafe address', 'Uncategorized'],
  ])('spec 2-messages §15.2 %i %s %s is %s', (code, enhanced, text, classification) => {
    expect(judge(code, enhanced, text).class).toBe(classification);
  });

  // What large providers really say.
  it.each([
    [550, '5.1.1', 'The email account that you tried to reach does not exist.', 'InvalidRecipient'],
    [550, undefined, 'The email account that you tried to reach does not exist.', 'InvalidRecipient'],
    [550, '5.2.1', 'The email account that you tried to reach is disabled.', 'InactiveMailbox'],
    [552, '5.2.2', 'The email account that you tried to reach is over quota.', 'QuotaIssues'],
    [
      550,
      '5.7.26',
      'This mail has been blocked because the sender is unauthenticated.',
      'AuthenticationFailed',
    ],
    [550, '5.5.0', 'Requested action not taken: mailbox unavailable', 'InvalidRecipient'],
    [550, undefined, 'Requested action not taken: mailbox unavailable', 'InvalidRecipient'],
    [554, undefined, "delivery error: dd This user doesn't have a yahoo.com account", 'InvalidRecipient'],
    [550, '5.4.1', 'Recipient address rejected: Access denied.', 'NoAnswerFromHost'],
    [550, '5.7.606', 'Access denied, banned sending IP', 'PolicyRelated'],
    [554, undefined, '<x@y.test>: Sender address rejected: blocked using zen.spamhaus.org', 'PolicyRelated'],
    [451, undefined, 'Temporarily blocked, see our policy', 'TransientFailure'],
    [550, '5.7.1', 'relaying disabled for this host', 'PolicyRelated'],
    [550, '5.7.1', 'Recipient address rejected: policy record not found', 'PolicyRelated'],
  ])('%i %s %s is %s', (code, enhanced, text, classification) => {
    expect(judge(code, enhanced, text).class).toBe(classification);
  });
});

it('is reputation where a block is wrapped in words about the mailbox', () => {
  expect(judge(550, '5.1.1', 'mailbox unavailable: 198.51.100.7 is blacklisted')).toMatchObject({
    kind: 'reputation',
    class: 'PolicyRelated',
    suppresses: 'never',
  });
});

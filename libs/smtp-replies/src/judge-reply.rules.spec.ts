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

  // Real replies of large providers.
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

it.each([
  ['Absender existiert nicht', 'InvalidSender'],
  ['unbekannte Absenderadresse', 'InvalidSender'],
  ["l'expéditeur est inconnu", 'InvalidSender'],
  ['dirección del remitente rechazada', 'InvalidSender'],
  ['indirizzo del mittente non valido', 'InvalidSender'],
  ['adres nadawcy nie istnieje', 'InvalidSender'],
  ['адрес отправителя не существует', 'InvalidSender'],
  ['发件人地址不存在', 'InvalidSender'],
  ['送信者アドレスは存在しません', 'InvalidSender'],
  ['Zurück an Absender: Empfänger unbekannt', 'InvalidRecipient'],
  ["retour à l'expéditeur, destinataire inconnu", 'InvalidRecipient'],
  ['отправителю: получатель не найден', 'InvalidRecipient'],
])('spec 2-messages §15.3 rule 2 550 5.1.1 %s is %s', (text, classification) => {
  expect(judge(550, '5.1.1', text).class).toBe(classification);
});

it('is reputation where a block is wrapped in a text about the mailbox', () => {
  expect(judge(550, '5.1.1', 'mailbox unavailable: 198.51.100.7 is blacklisted')).toMatchObject({
    kind: 'reputation',
    class: 'PolicyRelated',
    suppresses: 'never',
  });
});

/** The envelope sender of a message. */
const VERP = `b+${'ab2'.repeat(14)}@rp.shop.test`;

describe('spec 2-messages §15.3 rule 2: faults of the sender, our host or its name suppress no recipient', () => {
  it.each([
    // the sender
    [550, '5.0.0', 'sender rejected user unknown', 'InvalidSender'],
    [
      550,
      '5.1.1',
      '<news@shop.test>: Sender address rejected: User unknown in relay recipient table',
      'InvalidSender',
    ],
    [550, '5.7.1', '<news@shop.test>: Sender address rejected: User unknown', 'PolicyRelated'],
    [450, '4.1.8', '<news@shop.test>: Sender address rejected: Domain not found', 'InvalidSender'],
    [
      550,
      undefined,
      'Verification failed for <news@shop.test> No Such User Here Sender verify failed',
      'InvalidSender',
    ],
    [550, '5.1.2', 'Domain of sender address news@shop.test does not exist', 'InvalidSender'],
    [553, '5.1.2', 'sender domain shop.test could not be resolved', 'InvalidSender'],
    [550, undefined, 'Unknown sender', 'InvalidSender'],
    [550, '5.1.1', 'Invalid sender address, mailbox does not exist', 'InvalidSender'],
    [550, undefined, 'Unrouteable sender address', 'InvalidSender'],
    [550, undefined, 'Could not verify the sender: no such user', 'InvalidSender'],
    [550, undefined, 'Return-path <news@shop.test> rejected, mailbox not found', 'InvalidSender'],
    [550, undefined, 'The envelope-from does not exist', 'InvalidSender'],
    [550, undefined, 'MAIL FROM rejected: account does not exist', 'InvalidSender'],
    [550, undefined, 'The sender mailbox is unavailable', 'InvalidSender'],
    [550, '5.2.1', 'The account of the sender has been disabled', 'InvalidSender'],
    [550, undefined, 'Mailbox of sender closed', 'InvalidSender'],
    [550, undefined, 'Sender is not a valid mailbox', 'InvalidSender'],
    [550, undefined, 'unknown user (sender)', 'InvalidSender'],
    [550, '5.1.2', 'Domain shop.test does not exist (sender)', 'InvalidSender'],
    [550, undefined, 'no such domain in your From: header', 'InvalidSender'],
    [550, undefined, 'Header From domain is nonexistent', 'InvalidSender'],
    [550, '5.1.1', 'bounce address b+1@rp.shop.test does not exist', 'InvalidSender'],
    [550, '5.1.1', `<${VERP}>: no such user`, 'InvalidSender'],
    [550, undefined, `Callback setup failed while verifying <${VERP.toUpperCase()}>`, 'InvalidSender'],
    [550, '5.7.26', 'sender rejected, user unknown', 'AuthenticationFailed'],
    [550, undefined, 'sender domain rejected, SPF failed', 'AuthenticationFailed'],
    // HELO
    [550, '5.0.0', 'invalid helo host name does not exist', 'PolicyRelated'],
    [450, '4.7.1', '<mx.shop.test>: Helo command rejected: Host not found', 'PolicyRelated'],
    [504, '5.5.2', '<mx>: Helo command rejected: need fully-qualified hostname', 'PolicyRelated'],
    [550, undefined, 'EHLO: domain name does not exist', 'PolicyRelated'],
    [550, '5.1.2', 'unknown host in HELO', 'PolicyRelated'],
    [550, undefined, 'HELO should be a FQDN or an address literal', 'PolicyRelated'],
    // our address and its name
    [550, '5.1.2', 'Your host name does not exist', 'PolicyRelated'],
    [550, undefined, 'reverse DNS of 198.51.100.7: host not found', 'PolicyRelated'],
    [550, undefined, 'no PTR record, unknown host', 'PolicyRelated'],
    [554, undefined, '<unknown[198.51.100.7]>: Client host rejected: Access denied', 'PolicyRelated'],
    [550, undefined, 'we take no messages from your network', 'PolicyRelated'],
    [550, undefined, 'Access denied', 'PolicyRelated'],
    [550, '5.1.1', 'Your IP 198.51.100.7 is refused: user unknown', 'PolicyRelated'],
  ])('%i %s %s', (code, enhanced, text, classification) => {
    expect(judge(code, enhanced, text)).toMatchObject({
      class: classification,
      suppresses: expect.not.stringMatching('hard'),
    });
    if (code >= 500) expect(judge(code, enhanced, text).suppresses).toBe('never');
  });

  it.each([
    ['MAIL FROM', 'no such user', 'InvalidSender'],
    ['MAIL FROM', 'no', 'InvalidSender'],
    ['EHLO', 'no such host', 'PolicyRelated'],
    ['CONNECT', 'user unknown', 'PolicyRelated'],
    ['CONNECT', 'no', 'PolicyRelated'],
  ])('in reply to %s, whatever the words are: %s', (command, response, classification) => {
    const reply = { smtpCode: 550, response };
    expect(judgeReply({ ...reply, command })).toMatchObject({ class: classification, suppresses: 'never' });
    for (const later of ['RCPT TO', 'DATA', undefined])
      expect(judgeReply({ ...reply, command: later }).suppresses).not.toBe('never');
  });

  it.each([
    [550, '5.1.1', '<ann@mail.test>: Recipient address rejected: User unknown in virtual mailbox table'],
    [550, '5.1.1', 'user unknown, returned to sender'],
    [550, '5.1.1', 'unknown user; the sender was notified'],
    [550, undefined, 'mail from news@shop.test to ann@mail.test refused: no such user'],
    [550, '5.1.1', `<ann@mail.test>: no such user, mail of ${VERP} not taken`],
    [550, undefined, 'no such domain here'],
    [550, '5.1.1', 'this mailbox does not exist on our host'],
    [550, undefined, 'sender accepted, but the mailbox is unavailable'],
    [550, '5.2.1', 'the sender is fine, the account has been disabled'],
    [550, '5.1.1', 'user unknown, this server does not relay and mail is not accepted'],
  ])('but what is wrong with the recipient does: %i %s %s', (code, enhanced, text) => {
    expect(judge(code, enhanced, text).suppresses).toBe('hard');
  });
});

import { findEnhancedCode, judgeReply } from '@postmesh/smtp-replies';
import { describe, expect, it } from 'vitest';
import { judgeReport, type ReportVerdict } from './judge-report.rules.js';
import { readReport } from './read-report.js';
import type { RecipientStatus } from './report.js';
import { sample, SAMPLE_KEY, SAMPLE_RECIPIENT } from './testing/samples.js';

const about = { recipient: SAMPLE_RECIPIENT };

/** The verdict of a standard report with these groups of fields. */
function judge(...groups: RecipientStatus[]): ReportVerdict {
  return judgeReport({ kind: 'dsn', recipients: groups, tokens: [], cut: false }, about);
}

const failed = (status: string | undefined, diagnostic?: string, remoteMta?: string): RecipientStatus => ({
  action: 'failed',
  status,
  diagnostic,
  remoteMta,
  finalRecipient: SAMPLE_RECIPIENT,
});

describe('spec 2-messages §15.4: a report', () => {
  it('of `failed` with 5.x is a bounce', () => {
    expect(judge(failed('5.1.1'))).toMatchObject({
      means: 'bounce',
      reply: { smtpCode: 550, enhancedStatusCode: '5.1.1' },
      verdict: { class: 'InvalidRecipient', suppresses: 'hard' },
    });
  });

  it.each(['delayed', 'relayed', 'expanded', 'delivered'] as const)('of `%s` changes nothing', (action) => {
    const status = action === 'delayed' ? '4.4.1' : '2.0.0';
    expect(judge({ ...failed(status), action })).toEqual({ means: 'nothing', because: action });
    expect(judge({ ...failed('5.1.1'), action })).toEqual({ means: 'nothing', because: action });
  });

  it('of `failed` with 4.x changes nothing, after any reply of the server', () => {
    const nothing = { means: 'nothing', because: 'failed-temporarily' };
    expect(judge(failed('4.4.1'))).toEqual(nothing);
    expect(judge(failed('4.0.0', '550 5.1.1 no such user'))).toEqual(nothing);
  });

  it('without an action is a failure when its status is one', () => {
    expect(judge({ ...failed('5.1.1'), action: undefined }).means).toBe('bounce');
    expect(judge({ ...failed('2.1.5'), action: undefined })).toEqual({
      means: 'nothing',
      because: 'delivered',
    });
    expect(judge({ ...failed(undefined), action: undefined })).toEqual({
      means: 'nothing',
      because: 'no-status',
    });
  });

  it.each(['auto-reply', 'disposition-notification', 'unknown'] as const)(
    'that is %s changes nothing',
    (kind) => {
      const report =
        kind === 'auto-reply' ? { kind, why: 'x', tokens: [], cut: false } : { kind, tokens: [], cut: false };
      expect(judgeReport(report, about)).toEqual({ means: 'nothing', because: kind });
    },
  );
});

describe('the code that decides', () => {
  const codeOf = (verdict: ReportVerdict) =>
    verdict.means === 'bounce' ? [verdict.reply.smtpCode, verdict.reply.enhancedStatusCode] : verdict;

  it.each([
    [
      'a specific one of the server, before the status next to it',
      '5.0.0',
      '550 5.2.1 disabled',
      [550, '5.2.1'],
    ],
    ['the server’s, where both are specific', '5.1.1', '550 5.7.1 rejected', [550, '5.7.1']],
    ['the status, where the server has none', '5.1.1', 'x-unix: 67', [550, '5.1.1']],
    ['the status, where the server’s says nothing', '5.1.1', '550 5.0.0 no', [550, '5.1.1']],
    ['the status, where the server’s was about another day', '5.4.7', '451 4.7.1 try later', [550, '5.4.7']],
    ['none but that of SMTP', undefined, '553 no', [553, undefined]],
  ])('is %s', (_what, status, diagnostic, code) => {
    expect(codeOf(judge(failed(status, diagnostic)))).toEqual(code);
  });

  it('makes a vague failure temporary, where the server replied so', () => {
    expect(judge(failed('5.0.0', '451 4.7.1 greylisted'))).toMatchObject({ because: 'failed-temporarily' });
    expect(judge(failed(undefined, '451 try later'))).toMatchObject({ because: 'failed-temporarily' });
  });

  it.each([
    ['host mx.mail.test[198.51.100.9] said: 552 5.2.2 full', 552, '5.2.2', 'full'],
    ['SMTP error after RCPT TO:<ann@mail.test>: host mx 550 no such user', 550, undefined, 'no such user'],
    ['554: delivery error: dd no account', 554, undefined, 'delivery error: dd no account'],
    ['#550 5.1.1 RESOLVER.ADR.RecipNotFound', 550, '5.1.1', 'RESOLVER.ADR.RecipNotFound'],
    ['<mx.corp.test #5.1.1>', 550, '5.1.1', '<mx.corp.test #5.1.1>'],
    ['550-5.1.1 one\n550-5.1.1 two\n550 5.1.1 three', 550, '5.1.1', 'one two three'],
    ['550-one\n550 two', 550, undefined, 'one two'],
    ['refused 198.51.5.100 after 5.1.1.9: 550 5.7.1 no', 550, '5.7.1', 'no'],
  ])('is found in %j', (diagnostic, smtpCode, enhancedStatusCode, response) => {
    expect(judge(failed('5.0.0', diagnostic))).toMatchObject({
      reply: { smtpCode, enhancedStatusCode: enhancedStatusCode ?? '5.0.0', response },
      diagnostic,
    });
  });
});

describe('spec 2-messages §15.3: a report is classified like the reply itself', () => {
  const reportOf = (says: string, diagnostic: string) =>
    [
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b',
      '',
      says,
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Final-Recipient: rfc822; ann@mail.test',
      'Action: failed',
      'Status: 5.0.0',
      `Diagnostic-Code: smtp; ${diagnostic}`,
      '--b--',
    ].join('\r\n');
  const judged = (says: string, diagnostic: string) =>
    judgeReport(readReport(Buffer.from(reportOf(says, diagnostic)), { keys: [] }), about);

  it.each([
    ['550 5.0.0 sender rejected user unknown', 'InvalidSender', 'never'],
    ['550 5.0.0 invalid helo host name does not exist', 'PolicyRelated', 'never'],
    ['550 #5.1.1 not here', 'InvalidRecipient', 'hard'],
    ['550 5.0.0 mailbox trouble (5.2.1)', 'InactiveMailbox', 'hard'],
    ['554 refused by Exim 4.9.1', 'Uncategorized', 'repeated'],
  ])('%s', (diagnostic, classification, suppresses) => {
    const verdict = { class: classification, suppresses };
    expect(judged('It failed.', diagnostic)).toMatchObject({ verdict });
    const [smtpCode, ...words] = diagnostic.split(' ');
    const response = words.join(' ');
    const enhancedStatusCode = findEnhancedCode(response, Number(smtpCode));
    expect(judgeReply({ smtpCode: Number(smtpCode), enhancedStatusCode, response })).toMatchObject(verdict);
  });

  it.each([
    'host mx.mail.test[198.51.100.9] said: 550 5.1.1 no such user (in reply to MAIL FROM command)',
    'SMTP error from remote mail server after MAIL FROM:<news@shop.test>: 550 no such user',
    '... while talking to mx.mail.test.:\r\n>>> MAIL From:<news@shop.test>\r\n<<< 550 5.1.1 no such user',
    'host mx.mail.test refused to talk to me: 550 5.1.1 no such user',
    'Connected to 198.51.100.9 but sender was rejected.\r\nRemote host said: 550 5.1.1 no such user',
  ])('a reply before the first RCPT TO is about the sender: %s', (says) => {
    expect(judged(says, '550 5.1.1 no such user')).toMatchObject({ verdict: { suppresses: 'never' } });
    expect(
      judged(says.replace(/MAIL FROM|refused to talk|sender/i, 'RCPT TO'), '550 5.1.1 no such user'),
    ).toMatchObject({
      verdict: { suppresses: 'hard' },
    });
  });
});

describe('the group that counts', () => {
  const group = (finalRecipient: string, more: RecipientStatus = {}): RecipientStatus => ({
    action: 'failed',
    status: '5.1.1',
    finalRecipient,
    ...more,
  });

  it('is the only one, with any recipient', () => {
    expect(judge(group('ann.private@other.test')).means).toBe('bounce');
  });

  it('is the one of several that names the recipient, Original-Recipient first', () => {
    const bob = group('bob@mail.test', { status: '5.2.2' });
    expect(judge(bob, group(SAMPLE_RECIPIENT))).toMatchObject({ reply: { enhancedStatusCode: '5.1.1' } });
    const forwarded = group('x@other.test', { originalRecipient: SAMPLE_RECIPIENT, status: '5.2.1' });
    expect(judge(group(SAMPLE_RECIPIENT), forwarded)).toMatchObject({
      reply: { enhancedStatusCode: '5.2.1' },
    });
    expect(judge(bob, group('eve@mail.test'))).toEqual({ means: 'nothing', because: 'other-recipient' });
  });

  it('is none that failed, where the same recipient was reached elsewhere', () => {
    const other = group('home@mail.test', {
      originalRecipient: SAMPLE_RECIPIENT,
      action: 'delivered',
      status: '2.0.0',
    });
    const work = group('work@mail.test', { originalRecipient: SAMPLE_RECIPIENT });
    expect(judge(work, other)).toEqual({ means: 'nothing', because: 'delivered' });
    expect(judge(work, { ...other, action: 'failed', status: '5.2.2' }).means).toBe('bounce');
  });

  it('is found in any spelling of an address', () => {
    const fields = [
      'Final-Recipient: rfc822; bob@mail.test',
      'Action: failed',
      'Status: 5.2.2',
      '',
      'Original-Recipient: rfc822;Ann+2Btest@BÜCHER.test',
      'Final-Recipient: RFC822; <x@other.test>',
      'Action: failed',
      'Status: 5.1.1',
    ].join('\r\n');
    const head = 'Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n';
    const raw = `${head}--b\r\nContent-Type: message/delivery-status\r\n\r\n${fields}\r\n--b--\r\n`;
    const report = readReport(Buffer.from(raw), { keys: [] });
    expect(judgeReport(report, { recipient: 'ann+test@xn--bcher-kva.test' })).toMatchObject({
      reply: { enhancedStatusCode: '5.1.1' },
    });
  });
});

describe('the texts of a provider', () => {
  const words = '554 delivery error: dd Sorry your message to ann@mail.test cannot be delivered. [TSS11]';
  const blocked = { verdict: { kind: 'reputation' } };

  it('are recognised when the report names its host', () => {
    expect(judge(failed('5.0.0', words, 'mta5.am0.yahoodns.net'))).toMatchObject(blocked);
    expect(judge(failed('5.0.0', words, 'mx.mail.test'))).not.toMatchObject(blocked);
  });

  it('are recognised too when the provider is the reporter', () => {
    const report = {
      kind: 'dsn',
      recipients: [failed('5.0.0', '550 5.7.1 Our system has detected an unusual rate of unsolicited mail')],
      reportingMta: 'googlemail.com',
      tokens: [],
      cut: false,
    } as const;
    expect(judgeReport(report, about)).toMatchObject({
      verdict: { rule: expect.stringMatching(/^google-/) },
    });
    const forwarded = { ...report, recipients: [{ ...report.recipients[0], remoteMta: 'mx.mail.test' }] };
    expect(judgeReport(forwarded, about)).not.toMatchObject({
      verdict: { rule: expect.stringMatching(/^google-/) },
    });
  });
});

describe('spec 2-messages §15.5: a complaint', () => {
  const verdictOf = (name: string) => judgeReport(readReport(sample(name), { keys: [SAMPLE_KEY] }), about);

  it.each([
    'arf-abuse',
    'arf-fraud',
    'arf-comcast',
    'arf-jmrp-old',
    'arf-jmrp-new',
    'arf-validity',
    'arf-yahoo',
  ])('counts: %s', (name) => expect(verdictOf(name)).toEqual({ means: 'complaint' }));

  it.each(['arf-not-spam', 'arf-auth-failure', 'apple-unsubscribe'])(
    'of another type is only stored: %s',
    (name) => expect(verdictOf(name)).toEqual({ means: 'nothing', because: 'feedback-type' }),
  );
});

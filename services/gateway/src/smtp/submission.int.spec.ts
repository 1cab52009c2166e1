import { Metrics } from '@postmesh/observability';
import { Pepper } from '@postmesh/secrets';
import { SmtpDialogue, testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DoubleCredential } from '../testing/accounts-double.js';
import { mail, STORED_ID } from '../testing/echo-service.js';
import { MODES, OLDER_KEY, startGateway, type TestGateway } from '../testing/start-gateway.js';

// proven again: the envelope and the bytes that services get, services that are away, and sizes below 20 MiB
const database = testDatabase();
const MESSAGE = 'From: a@shop.test\r\nSubject: Hello\r\n\r\nHello\r\n';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const plain = ({ username, password }: Pick<DoubleCredential, 'username' | 'password'>) =>
  `AUTH PLAIN ${base64(`\0${username}\0${password}`)}`;

beforeEach(() => {
  Object.assign(mail, { senderReply: undefined, reply: undefined, failWith: undefined });
  for (const list of [mail.senders, mail.submissions, mail.inbound]) list.length = 0;
});

describe.each(MODES)('SMTP submission, services %s', (mode) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database.url, mode, { messageLimitBytes: 2_097_152 });
    await vi.waitFor(() => expect(gateway.accounts.leaseCount()).toBe(1), 10_000);
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    gateway.accounts.away = false;
  });
  const port = () => gateway.smtp.find(({ role }) => role === 'submission')?.port ?? 0;

  async function loggedIn(credential = gateway.accounts.addCredential()): Promise<SmtpDialogue> {
    const dialogue = await SmtpDialogue.secure(port());
    expect(await dialogue.say(plain(credential))).toBe('235 2.7.0 Authentication successful');
    return dialogue;
  }

  async function envelope(dialogue: SmtpDialogue, ...recipients: string[]): Promise<void> {
    expect(await dialogue.say('MAIL FROM:<a@shop.test>')).toMatch(/^250 2\.1\.0 /);
    for (const recipient of recipients) {
      expect(await dialogue.say(`RCPT TO:<${recipient}>`)).toMatch(/^250 2\.1\.5 /);
    }
  }

  it('spec 2-messages §13 rule 9: 250 2.0.0 OK <id> once it is stored, with envelope and bytes as they came', async () => {
    const credential = gateway.accounts.addCredential();
    const dialogue = await loggedIn(credential);
    await envelope(dialogue, 'Ann@Mail.test', 'ben@mail.test', 'ann@mail.test');
    expect(await dialogue.data(`${MESSAGE}..dot\r\nä`)).toBe(`250 2.0.0 OK ${STORED_ID}`);
    const [{ envelope: given, raw }] = mail.submissions as [(typeof mail.submissions)[0]];
    expect(raw.toString()).toBe(`${MESSAGE}.dot\r\nä\r\n`);
    expect(given).toMatchObject({
      sender: 'a@shop.test',
      recipients: ['ann@mail.test', 'ben@mail.test'],
      submitter: { username: credential.username, account_id: credential.accountId, scope: 'global' },
      session: { client_ip: '127.0.0.1', helo: 'client.test', tls: 'TLSv1.3' },
    });
    expect(mail.senders).toEqual([{ submitter: given.submitter, sender: 'a@shop.test' }]);
    expect(await dialogue.say('MAIL FROM:<a@shop.test>')).toMatch(/^250 /);
    dialogue.end();
  });

  it('replies with the verdict of messages on a sender, and with a temporary error without one', async () => {
    const dialogue = await loggedIn();
    mail.senderReply = { code: 556, enhanced: '5.1.8', text: 'Domain is not configured' };
    expect(await dialogue.say('MAIL FROM:<a@other.test>')).toBe('556 5.1.8 Domain is not configured');
    expect(await dialogue.say('RCPT TO:<ann@mail.test>')).toMatch(/^503 5\.5\.1 /);
    mail.senderReply = { code: 521, text: 'Account is suspended' };
    expect(await dialogue.say('MAIL FROM:<a@shop.test>')).toBe('521 Account is suspended');
    mail.failWith = 500;
    expect(await dialogue.say('MAIL FROM:<a@shop.test>')).toMatch(/^451 4\.3\.0 /);
    dialogue.end();
  });

  it('spec 2-messages §13 rule 9: anything but ok is no 250', async () => {
    const dialogue = await loggedIn();
    await envelope(dialogue, 'ann@mail.test');
    mail.reply = { code: 550, enhanced: '5.7.1', text: 'From is not yours' };
    expect(await dialogue.data(MESSAGE)).toBe('550 5.7.1 From is not yours');
    await envelope(dialogue, 'ann@mail.test');
    mail.failWith = 500;
    expect(await dialogue.data(MESSAGE)).toMatch(/^451 4\.3\.0 /);
    dialogue.end();
  });

  it('spec 2-messages §13 rule 5: takes quoted local parts as the API does, UTF-8 ones with SMTPUTF8, also mixed with others', async () => {
    const dialogue = await loggedIn();
    await envelope(dialogue, '"a..b"@mail.test', '"a@b"@mail.test', '"x:y"@Mail.test', '"ann"@mail.test');
    expect(await dialogue.say('RCPT TO:<"a"b"@mail.test>')).toMatch(/^501 5\.1\.3 /);
    expect(await dialogue.say('RCPT TO:<jürgen@mail.test>')).toMatch(/^553 5\.6\.7 .*SMTPUTF8/);
    expect(await dialogue.data(MESSAGE)).toBe(`250 2.0.0 OK ${STORED_ID}`);
    expect(await dialogue.say('MAIL FROM:<a@shop.test> SMTPUTF8')).toMatch(/^250 /);
    expect(await dialogue.say('RCPT TO:<Jürgen@mail.test>')).toMatch(/^250 /);
    expect(await dialogue.say('RCPT TO:<ann@mail.test>')).toMatch(/^250 /);
    expect(await dialogue.data(MESSAGE)).toBe(`250 2.0.0 OK ${STORED_ID}`);
    expect(
      mail.submissions.map(({ envelope: { recipients, smtp_utf8 } }) => [smtp_utf8, recipients]),
    ).toEqual([
      [undefined, ['"a..b"@mail.test', '"a@b"@mail.test', '"x:y"@mail.test', 'ann@mail.test']],
      [true, ['jürgen@mail.test', 'ann@mail.test']],
    ]);
    dialogue.end();
  });

  it('spec 2-messages §13 rule 4: 552 5.3.4 for what is too large, at MAIL or without keeping it', async () => {
    const dialogue = await loggedIn();
    expect(await dialogue.say('MAIL FROM:<a@shop.test> SIZE=2097153')).toMatch(/^552 5\.3\.4 /);
    await envelope(dialogue, 'ann@mail.test');
    expect(await dialogue.data(Buffer.alloc(2_200_000, 'x'))).toMatch(/^552 5\.3\.4 /);
    expect(await dialogue.say('MAIL FROM:<a@shop.test> SIZE=100000')).toMatch(/^250 /);
    await dialogue.say('RCPT TO:<ann@mail.test>');
    expect(await dialogue.data(Buffer.alloc(200_000, 'x'))).toBe('552 5.3.4 Message is larger than its SIZE');
    expect(mail.submissions).toEqual([]);
    expect(await dialogue.say('MAIL FROM:<a@shop.test> SIZE=2000000')).toMatch(/^250 /);
    await dialogue.say('RCPT TO:<ann@mail.test>');
    expect(await dialogue.data(`${'x'.repeat(998)}\r\n`.repeat(1_990))).toMatch(/^250 /);
    expect(mail.submissions[0]?.raw.length).toBe(1_990_002);
    dialogue.end();
  });

  it('nothing is stored or left open when a client disconnects within DATA', async () => {
    const leave = async (sent: number) => {
      const dialogue = await loggedIn();
      await envelope(dialogue, 'ann@mail.test');
      await dialogue.say('DATA');
      dialogue.send(`${'x'.repeat(98)}\r\n`.repeat(sent / 100));
      dialogue.end();
    };
    await Promise.all([0, 100, 100_000, 1_500_000].map(leave));
    const metrics = async () => gateway.service.get<{ render(): Promise<string> }>(Metrics).render();
    await expect.poll(metrics).toMatch(/postmesh_smtp_sessions_open\{listener="submission"\} 0/);
    expect(mail.submissions).toEqual([]);
  });

  // replies of the session itself do not depend on the way to its services
  if (mode !== 'in process') return;

  it('spec 2-messages §13 rule 2: AUTH PLAIN and LOGIN, each with and without an initial response', async () => {
    const { username, password } = gateway.accounts.addCredential();
    const token = base64(`\0${username}\0${password}`);
    const ways = [
      [`AUTH PLAIN ${token}`],
      ['AUTH PLAIN', token],
      ['AUTH LOGIN', base64(username), base64(password)],
      [`AUTH LOGIN ${base64(username)}`, base64(password)],
      [`auth login ${base64(username)}`, base64(password)],
      [`AUTH PLAIN ${base64(`${username}\0${username}\0${password}`)}`],
    ];
    const login = async (lines: string[]) => {
      const dialogue = await SmtpDialogue.secure(port());
      for (const line of lines.slice(0, -1)) expect(await dialogue.say(line)).toMatch(/^334/);
      expect(await dialogue.say(lines.at(-1) ?? '')).toMatch(/^235 2\.7\.0 /);
      expect(await dialogue.say(`AUTH PLAIN ${token}`)).toMatch(/^503 5\.5\.1 /);
      expect(await dialogue.say('EHLO again.test')).not.toMatch(/AUTH/);
      dialogue.end();
    };
    await Promise.all(ways.map(login));
  });

  it('spec 2-messages §13.6: replies of AUTH: 501 for what cannot be read, 504 for other mechanisms, 503 in a transaction', async () => {
    const dialogue = await SmtpDialogue.secure(port());
    expect(await dialogue.say('AUTH PLAIN %%%')).toMatch(/^501 5\.5\.2 /);
    expect(await dialogue.say('AUTH PLAIN')).toMatch(/^334/);
    expect(await dialogue.say('not base64!')).toMatch(/^501 5\.5\.2 /);
    expect(await dialogue.say('AUTH LOGIN')).toMatch(/^334/);
    expect(await dialogue.say('*')).toMatch(/^501 /);
    expect(await dialogue.say(`AUTH PLAIN ${base64('one\0two')}`)).toMatch(/^501 5\.5\.2 /);
    expect(await dialogue.say('AUTH CRAM-MD5')).toMatch(/^504 5\.5\.4 /);
    expect(await dialogue.say('AUTH XOAUTH2 abcd')).toMatch(/^504 5\.5\.4 /);
    dialogue.end();
  });

  it('spec 1-platform §12 rule 1: 535 5.7.8 for a wrong password, an unknown username and another identity', async () => {
    // a second failure of one username would wait for two seconds
    const [one, two] = [gateway.accounts.addCredential(), gateway.accounts.addCredential()];
    const wrong = [
      plain({ username: one.username, password: `${one.password}x` }),
      plain({ username: `smtp-${'x'.repeat(20)}`, password: one.password }),
      plain({ username: 'x'.repeat(900), password: one.password }),
      `AUTH PLAIN ${base64(`smtp-other\0${two.username}\0${two.password}`)}`,
    ];
    for (const line of wrong) {
      const dialogue = await SmtpDialogue.secure(port(), { localAddress: '127.0.0.9' });
      expect(await dialogue.say(line)).toBe('535 5.7.8 Authentication credentials invalid');
      expect(await dialogue.say('MAIL FROM:<a@shop.test>')).toMatch(/^530 5\.7\.0 /);
      dialogue.end();
    }
  });

  it('spec 2-messages §13.6: 454 4.7.0 while logins cannot be checked, which is no failure of the client', async () => {
    const credential = gateway.accounts.addCredential();
    gateway.accounts.away = true;
    const dialogue = await SmtpDialogue.secure(port(), { localAddress: '127.0.0.10' });
    for (let tries = 0; tries < 4; tries += 1) {
      expect(await dialogue.say(plain(credential))).toMatch(/^454 4\.7\.0 /);
    }
    gateway.accounts.away = false;
    expect(await dialogue.say(plain(credential))).toMatch(/^235 /);
    dialogue.end();
  });

  it('a login under an older key reports the new hash of its password', async () => {
    const credential = gateway.accounts.addCredential({ secretKeys: [OLDER_KEY] });
    (await loggedIn(credential)).end();
    const to = new Pepper(gateway.context.settings.secretKeys).hash(credential.password).toString('base64');
    await expect.poll(() => gateway.accounts.rehashes[0]).toMatchObject({ to });
  });

  it('spec 2-messages §13 rule 4: 50 recipients, then 452 4.5.3 Too many recipients', async () => {
    const dialogue = await loggedIn();
    await envelope(dialogue, ...Array.from({ length: 50 }, (_, at) => `r${at}@mail.test`));
    expect(await dialogue.say('RCPT TO:<one-more@mail.test>')).toBe('452 4.5.3 Too many recipients');
    expect(await dialogue.data(MESSAGE)).toMatch(/^250 /);
    expect(mail.submissions[0]?.envelope.recipients).toHaveLength(50);
    dialogue.end();
  });

  it('501 5.1.3 for an invalid address or an IP address literal; commands cannot be injected', async () => {
    const dialogue = await loggedIn();
    await envelope(dialogue);
    for (const bad of [
      'ann',
      'ann@[192.0.2.1]',
      'ann@',
      '@mail.test',
      'a@b@mail.test',
      'ann@mail',
      '"a b"@x.test',
    ]) {
      expect(await dialogue.say(`RCPT TO:<${bad}>`)).toMatch(/^501 5\.1\.3 /);
    }
    expect(await dialogue.say('RCPT TO:<ann@mail.test> ORCPT=rfc822;a+0D+0ADATA')).toMatch(/^501 /);
    expect(await dialogue.say('DATA')).toBe('503 5.5.1 Need RCPT before DATA');
    dialogue.end();
  });

  it('252 for VRFY, 502 for EXPN and ETRN, 500 for unknown commands', async () => {
    const dialogue = await loggedIn();
    expect(await dialogue.say('VRFY ann')).toMatch(/^252 /);
    for (const command of ['EXPN list', 'ETRN shop.test', 'BDAT 5 LAST']) {
      expect(await dialogue.say(command)).toMatch(/^502 5\.5\.1 /);
    }
    for (const command of ['WIZ', 'XCLIENT ADDR=192.0.2.1', 'SHELL', 'NONSENSE']) {
      expect(await dialogue.say(command)).toMatch(/^500 5\.5\.2 /);
    }
    dialogue.end();
  });
});

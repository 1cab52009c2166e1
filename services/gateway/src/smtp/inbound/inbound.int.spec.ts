import { newId } from '@postmesh/contracts';
import { feedbackAddress, reportAddress, verpAddress } from '@postmesh/mail-format';
import { reportAddressKeys } from '@postmesh/secrets';
import { freePort, SmtpDialogue, testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mail, STORED_ID } from '../../testing/echo-service.js';
import { MODES, startGateway, type TestGateway } from '../../testing/start-gateway.js';

// proven again: the envelope that messages gets, forged tokens and those of an older release, and limits of a peer
const database = testDatabase();
const MESSAGE = 'From: x@else.test\r\nSubject: Hello\r\n\r\nHello\r\n';

beforeEach(() => {
  Object.assign(mail, { senderReply: undefined, reply: undefined, failWith: undefined });
  for (const list of [mail.senders, mail.submissions, mail.inbound]) list.length = 0;
});

async function greeted(port: number, from = '127.0.0.1'): Promise<SmtpDialogue> {
  const { dialogue } = await SmtpDialogue.open(port, { localAddress: from });
  await dialogue.say('EHLO mx.else.test');
  return dialogue;
}

describe.each(MODES)('inbound mail, services %s', (mode) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database.url, mode, {
      inboundMessagesPerMinute: 40,
      inboundMegabytesPerMinute: 3,
    });
  });
  afterAll(() => gateway.stop());
  const port = () => gateway.smtp.find(({ role }) => role === 'inbound')?.port ?? 0;

  it('spec 2-messages §16 rule 1: a recipient with a route is taken, any other is 550 5.1.1', async () => {
    const account = gateway.routes.add('ann@shop.test');
    const dialogue = await greeted(port());
    expect(await dialogue.say('MAIL FROM:<x@else.test>')).toMatch(/^250 /);
    expect(await dialogue.say('RCPT TO:<Ann@Shop.test>')).toMatch(/^250 2\.1\.5 /);
    expect(await dialogue.say('RCPT TO:<ben@shop.test>')).toBe('550 5.1.1 No such recipient here');
    expect(await dialogue.data(MESSAGE)).toBe(`250 2.0.0 OK ${STORED_ID}`);
    expect(mail.inbound).toHaveLength(1);
    expect(mail.inbound[0]?.envelope).toMatchObject({
      sender: 'x@else.test',
      recipients: [{ address: 'ann@shop.test', owners: [{ account_id: account, domain: 'shop.test' }] }],
      session: { client_ip: '127.0.0.1', helo: 'mx.else.test', tls: null },
    });
    expect(mail.inbound[0]?.raw.toString()).toBe(`${MESSAGE}\r\n`);
    dialogue.end();
  });

  it('spec 2-messages §15.4: a bounce or feedback address with its token is taken, whatever its host and letter case', async () => {
    const keys = reportAddressKeys(gateway.context.settings.secretKeys);
    const [key = ''] = keys;
    const record = newId();
    const bounce = verpAddress(record, 'moved.example.com', key);
    const ofReleaseBefore = verpAddress(record, 'rp.postmesh.test', gateway.context.settings.secretKeys[0]!);
    expect(keys[0]).not.toBe(gateway.context.settings.secretKeys[0]);
    const feedback = feedbackAddress(record, 'mx.postmesh.test', key);
    const dialogue = await greeted(port());
    expect(await dialogue.say('MAIL FROM:<>')).toMatch(/^250 /);
    expect(await dialogue.say(`RCPT TO:<${bounce.toUpperCase()}>`)).toMatch(/^250 /);
    expect(await dialogue.say(`RCPT TO:<${feedback}>`)).toMatch(/^250 /);
    expect(await dialogue.say(`RCPT TO:<${ofReleaseBefore}>`)).toMatch(/^250 /);
    const forged = bounce.replace(/^b\+./, (start) => (start === 'b+a' ? 'b+b' : 'b+a'));
    expect(await dialogue.say(`RCPT TO:<${forged}>`)).toMatch(/^550 5\.1\.1 /);
    expect(await dialogue.data(MESSAGE)).toMatch(/^250 /);
    expect(mail.inbound[0]?.envelope).toMatchObject({
      sender: '',
      recipients: [
        { address: bounce, report: 'bounce', record_id: record },
        { address: feedback, report: 'feedback', record_id: record },
        { address: ofReleaseBefore, report: 'bounce', record_id: record },
      ],
    });
    dialogue.end();
  });

  it('spec 2-messages §15.5: the address of feedback loops is taken', async () => {
    const dialogue = await greeted(port());
    await dialogue.say('MAIL FROM:<>');
    expect(await dialogue.say('RCPT TO:<FBL@rp.postmesh.test>')).toMatch(/^250 /);
    expect(await dialogue.data(MESSAGE)).toMatch(/^250 /);
    expect(mail.inbound[0]?.envelope.recipients).toEqual([
      { address: 'fbl@rp.postmesh.test', report: 'feedback-loop' },
    ]);
    dialogue.end();
  });

  it('the address of a domain for reports is taken at our host, and at no other', async () => {
    const domain = newId();
    const dialogue = await greeted(port());
    await dialogue.say('MAIL FROM:<noreply@google.test>');
    expect(await dialogue.say(`RCPT TO:<${reportAddress(domain, 'RP.postmesh.test')}>`)).toMatch(/^250 /);
    expect(await dialogue.say(`RCPT TO:<${reportAddress(domain, 'rp.shop.test')}>`)).toMatch(/^550 5\.1\.1 /);
    expect(await dialogue.data(MESSAGE)).toMatch(/^250 /);
    expect(mail.inbound[0]?.envelope.recipients).toEqual([
      { address: reportAddress(domain, 'rp.postmesh.test'), domain_report: true, domain_id: domain },
    ]);
    dialogue.end();
  });

  it('looks up one address once for many messages, and again when it had no route', async () => {
    const dialogue = await greeted(port());
    await dialogue.say('MAIL FROM:<x@else.test>');
    expect(await dialogue.say('RCPT TO:<new@shop.test>')).toMatch(/^550 /);
    gateway.routes.add('new@shop.test');
    const before = gateway.routes.asked;
    for (let at = 0; at < 5; at += 1) expect(await dialogue.say('RCPT TO:<new@shop.test>')).toMatch(/^250 /);
    expect(gateway.routes.asked - before).toBe(1);
    dialogue.end();
  });

  it('451 while a recipient cannot be looked up', async () => {
    gateway.routes.away = true;
    const dialogue = await greeted(port());
    await dialogue.say('MAIL FROM:<x@else.test>');
    expect(await dialogue.say('RCPT TO:<carl@shop.test>')).toMatch(/^451 4\.3\.0 /);
    gateway.routes.away = false;
    dialogue.end();
  });

  it('421 after twenty unknown recipients, against directory harvesting', async () => {
    const dialogue = await greeted(port());
    await dialogue.say('MAIL FROM:<x@else.test>');
    for (let at = 0; at < 20; at += 1)
      expect(await dialogue.say(`RCPT TO:<n${at}@shop.test>`)).toMatch(/^550 /);
    expect(await dialogue.say('RCPT TO:<n20@shop.test>')).toMatch(/^421 4\.7\.0 /);
    await dialogue.ended();
  });

  it('has no AUTH, and relays nothing', async () => {
    const dialogue = await greeted(port());
    expect(await dialogue.say('AUTH PLAIN AGEAYg==')).toMatch(/^500 /);
    await dialogue.say('MAIL FROM:<a@shop.test>');
    expect(await dialogue.say('RCPT TO:<somebody@gmail.test>')).toMatch(/^550 5\.1\.1 /);
    expect(await dialogue.say('RCPT TO:<somebody%gmail.test@shop.test>')).toMatch(/^550 5\.1\.1 /);
    expect(await dialogue.say('RCPT TO:<@shop.test:somebody@gmail.test>')).toMatch(/^550 5\.1\.1 /);
    expect(await dialogue.say('DATA')).toMatch(/^503 /);
    expect(mail.submissions).toEqual([]);
    dialogue.end();
  });

  it('an address that sends too many messages or bytes waits; another does not', async () => {
    gateway.routes.add('busy@shop.test');
    const codes = new Map<string, number>();
    const fast = await greeted(port(), '127.0.0.21');
    for (let at = 0; at < 45; at += 1) {
      const code = (await fast.say('MAIL FROM:<x@else.test>')).slice(0, 3);
      codes.set(code, (codes.get(code) ?? 0) + 1);
      await fast.say('RSET');
    }
    expect(codes.get('250')).toBeGreaterThanOrEqual(40);
    expect(codes.get('451')).toBeGreaterThan(0);
    fast.end();
    const large = await greeted(port(), '127.0.0.22');
    const said = [];
    for (let at = 0; at < 4; at += 1) {
      said.push((await large.say('MAIL FROM:<x@else.test>')).slice(0, 3));
      await large.say('RCPT TO:<busy@shop.test>');
      await large.data(`${'x'.repeat(998)}\r\n`.repeat(1_600));
    }
    expect(said).toEqual(['250', '250', '451', '451']);
    large.end();
    const other = await greeted(port(), '127.0.0.23');
    expect(await other.say('MAIL FROM:<x@else.test>')).toMatch(/^250 /);
    other.end();
  });
});

describe('a port that does both', () => {
  it('a session that logs in only submits, any other only reaches inbound recipients', async () => {
    const both = await freePort();
    const gateway = await startGateway(database.url, 'in process', { submissionPorts: [both], mxPort: both });
    gateway.routes.add('ann@shop.test');
    const { username, password } = gateway.accounts.addCredential();
    await expect.poll(() => gateway.accounts.leaseCount()).toBe(1);
    const stranger = await SmtpDialogue.secure(both);
    await stranger.say('MAIL FROM:<x@else.test>');
    expect(await stranger.say('RCPT TO:<out@gmail.test>')).toMatch(/^550 5\.1\.1 /);
    expect(await stranger.say('RCPT TO:<ann@shop.test>')).toMatch(/^250 /);
    const login = `AUTH PLAIN ${Buffer.from(`\0${username}\0${password}`).toString('base64')}`;
    expect(await stranger.say(login)).toMatch(/^503 5\.5\.1 /);
    expect(await stranger.data(MESSAGE)).toMatch(/^250 /);
    expect(await stranger.say(login)).toMatch(/^235 /);
    expect(await stranger.say('MAIL FROM:<a@shop.test>')).toMatch(/^250 /);
    expect(await stranger.say('RCPT TO:<out@gmail.test>')).toMatch(/^250 /);
    expect(await stranger.data(MESSAGE)).toMatch(/^250 /);
    expect([mail.inbound.length, mail.submissions.length]).toEqual([1, 1]);
    stranger.end();
    await gateway.stop();
  });
});

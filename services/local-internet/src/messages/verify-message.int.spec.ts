import { generateKeyPairSync } from 'node:crypto';
import { dkimSign } from 'mailauth';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sendMessage, startTestInternet, type TestInternet } from '../local-internet.fixture.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY_RECORD = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
const MESSAGE = [
  'From: Shop <news@shop.test>',
  'To: someone@example.test',
  'Subject: Verdict',
  'Message-ID: <1@shop.test>',
  'Date: Fri, 20 Nov 2026 10:00:00 +0000',
  '',
  'Hello there',
  '',
].join('\r\n');

let internet: TestInternet;
beforeAll(async () => {
  internet = await startTestInternet();
});
afterAll(() => internet.stop());
beforeEach(async () => {
  internet.published.fails = false;
  internet.published.zone = {
    domains: [
      {
        domain: 'shop.test',
        records: [
          { type: 'TXT', host: 'shop.test', content: 'v=spf1 include:spf.postmesh.test -all' },
          { type: 'CNAME', host: 'managed._domainkey.shop.test', content: 'token.d1.dkim.postmesh.test' },
          {
            type: 'TXT',
            host: '_dmarc.shop.test',
            content: 'v=DMARC1; p=quarantine; sp=none; adkim=r; aspf=r;',
          },
          { type: 'CNAME', host: 'rp.shop.test', content: 'rp.postmesh.test' },
        ],
      },
    ],
    serviceRecords: [
      { type: 'TXT', host: 'spf.postmesh.test', content: 'v=spf1 ip4:127.0.0.1 -all' },
      { type: 'TXT', host: 'rp.postmesh.test', content: 'v=spf1 include:spf.postmesh.test -all' },
      { type: 'TXT', host: 'token.d1.dkim.postmesh.test', content: KEY_RECORD },
    ],
  };
  await fetch(`${internet.mailboxUrl}/api/messages`, { method: 'DELETE' });
});

async function signed(): Promise<string> {
  const key = {
    signingDomain: 'shop.test',
    selector: 'managed',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  const { signatures, errors } = await dkimSign(MESSAGE, { ...key, signatureData: [key] });
  expect(errors).toEqual([]);
  return signatures + MESSAGE;
}

async function verdictOn(message: string, from = 'bounces@rp.shop.test'): Promise<unknown> {
  await sendMessage(internet, { from, message });
  const response = await fetch(`${internet.mailboxUrl}/api/messages?limit=1`);
  const { messages } = (await response.json()) as { messages: { auth: unknown }[] };
  return messages[0]?.auth;
}

test('a signed message from a published domain passes SPF, DKIM and DMARC', async () => {
  expect(await verdictOn(await signed())).toEqual({ spf: 'pass', dkim: 'pass', dmarc: 'pass' });
});

test('a message whose body was changed fails DKIM', async () => {
  const tampered = (await signed()).replace('Hello there', 'Hello thief');
  expect(await verdictOn(tampered)).toEqual({ spf: 'pass', dkim: 'fail', dmarc: 'pass' });
});

test('a message whose signed header was changed fails DKIM, and DMARC when SPF does not align', async () => {
  const tampered = (await signed()).replace('Subject: Verdict', 'Subject: Win');
  expect(await verdictOn(tampered, 'a@elsewhere.test')).toEqual({ spf: 'none', dkim: 'fail', dmarc: 'fail' });
});

test('a message from an address that SPF does not list fails it', async () => {
  internet.published.zone.domains.push({
    domain: 'fresh.test',
    records: [{ type: 'TXT', host: 'fresh.test', content: 'v=spf1 ip4:192.0.2.1 -all' }],
  });
  expect(await verdictOn(MESSAGE, 'a@fresh.test')).toMatchObject({ spf: 'fail', dkim: 'none' });
});

test('an unsigned message from an unpublished domain has nothing to verify', async () => {
  const message = 'From: a@nobody.test\r\nSubject: x\r\n\r\nx\r\n';
  expect(await verdictOn(message, 'a@nobody.test')).toEqual({ spf: 'none', dkim: 'none', dmarc: 'none' });
});

test('a message without a From header gets verdicts as well', async () => {
  expect(await verdictOn('\r\n\r\n', '')).toMatchObject({ dkim: 'none', dmarc: 'none' });
});

test('a message is never listed before its verification', async () => {
  const message = await signed();
  await Promise.all(
    Array.from({ length: 60 }, () => sendMessage(internet, { from: 'b@rp.shop.test', message })),
  );
  const response = await fetch(`${internet.mailboxUrl}/api/messages?limit=100`);
  const { messages } = (await response.json()) as { messages: { auth: unknown }[] };
  expect(messages).toHaveLength(60);
  for (const { auth } of messages) expect(auth).toEqual({ spf: 'pass', dkim: 'pass', dmarc: 'pass' });
});

test('unreadable records lead to a temporary verdict', async () => {
  internet.published.fails = true;
  expect(await verdictOn('From: a@away.test\r\n\r\nx\r\n', 'a@away.test')).toMatchObject({
    spf: 'temperror',
  });
});

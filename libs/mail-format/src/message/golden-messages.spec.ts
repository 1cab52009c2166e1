import { generateKeyPairSync } from 'node:crypto';
import { dkimVerify } from 'mailauth';
import { describe, expect, it } from 'vitest';
import { signMessage } from '../dkim/sign-message.js';
import { parseSigningKey } from '../dkim/signing-key.js';
import { composeMessage } from './compose-message.js';
import { messageBytes, type MessageContent } from './message.js';

// A message that is retried after an upgrade must be the same message: a change of these files is a decision.
const MESSAGES: Record<string, MessageContent> = {
  'plain-text': {
    from: { email: 'orders@shop.test', name: 'Shop' },
    to: [{ email: 'ann@mail.test' }],
    subject: 'Your order',
    text: 'Thanks!\n\n.\nFrom here on it gets better.\n',
    messageId: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>',
    date: new Date('2026-01-05T08:00:00Z'),
  },
  'text-and-html': {
    from: { email: 'hallo@xn--bcher-kva.test', name: 'Bücher & Mehr' },
    to: [{ email: 'ann@mail.test', name: 'Änn' }],
    replyTo: { email: 'hilfe@xn--bcher-kva.test' },
    subject: 'Ihre Bestellung: „Der Zauberberg“ und drei weitere Bücher sind auf dem Weg zu Ihnen 📚',
    text: 'Grüße aus dem Laden.\r\n.\r\nFrom the shop  \r\nEnde',
    html: `<p style="color:#333">Grüße aus dem Laden.</p>\n${'<b>lang</b>'.repeat(120)}`,
    messageId: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a02@xn--bcher-kva.test>',
    date: new Date('2026-01-05T08:00:00Z'),
    headers: [
      { name: 'List-Unsubscribe', value: '<https://subs.xn--bcher-kva.test/u/AbCdEf>' },
      { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
      { name: 'X-Note', value: 'größer' },
    ],
  },
  everything: {
    from: { email: 'hr@corp.test' },
    to: [
      { email: 'a@x.test', name: 'Bee, Ann' },
      { email: 'b@x.test', name: 'Борис' },
    ],
    cc: [{ email: 'boss@corp.test', name: 'The "Boss"' }],
    subject: 'All parts',
    text: 'Привет, это письмо почти целиком кириллицей.\n'.repeat(3),
    amp: '<!doctype html><html ⚡4email><body>Hi</body></html>',
    html: '<p>Hi <img src="cid:logo@corp"></p>',
    attachments: [
      {
        fileName: 'Übersicht 2026.pdf',
        contentType: 'application/pdf',
        disposition: 'attachment',
        content: Buffer.from('%PDF-1.7 not really'),
      },
      {
        fileName: 'logo.png',
        contentType: 'image/png',
        disposition: 'inline',
        contentId: '<logo@corp>',
        content: Buffer.from([0x89, 0x50, 0x4e, 0x47]),
      },
    ],
    messageId: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a03@corp.test>',
    date: new Date('2026-01-05T08:00:00Z'),
  },
};

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = parseSigningKey(privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;

describe.each(Object.entries(MESSAGES))('the golden message %s', (name, content) => {
  it('has not changed by one byte, and verifies when signed', async () => {
    const message = await composeMessage(content);
    const bytes = Buffer.concat(messageBytes(message));
    await expect(bytes.toString('latin1')).toMatchFileSnapshot(`golden/${name}.eml`);
    const domain = content.from.email.split('@')[1] ?? '';
    const signed = Buffer.concat(
      messageBytes(message, [await signMessage(message, { domain, selector: 's', key })]),
    );
    const { results } = await dkimVerify(signed, { resolver: () => Promise.resolve([[record]]) });
    expect(results.map(({ status }) => status.result)).toEqual(['pass']);
  });
});

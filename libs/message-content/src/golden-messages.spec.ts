import { generateKeyPairSync } from 'node:crypto';
import { dkimVerify } from 'mailauth';
import { simpleParser } from 'mailparser';
import { afterAll, describe, expect, it } from 'vitest';
import { messageBytes, parseSigningKey, signMessage } from '@postmesh/mail-format';
import { TemplateRenderer } from '@postmesh/templates';
import { openDkim, verifyWithOpenDkim } from '@postmesh/testing';
import { GOLDEN_REQUESTS } from './golden-requests.fixture.js';
import { RecipientMessages } from './recipient-messages.js';
import { readRequestContent, writeRequestContent } from './request-content.js';

const renderer = new TemplateRenderer();
afterAll(() => renderer.close());
const messages = new RecipientMessages(renderer, {
  secretKeys: ['the golden key of thirty-two chars'],
  serviceZone: 'mail.test',
  httpPort: 8080,
  linkHosts: 'domains',
});

const DOMAIN = 'shop.test';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = parseSigningKey(privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;

/** As it is stored, read again, composed and signed. */
async function madeOf({ content, facts }: (typeof GOLDEN_REQUESTS)[string]) {
  const message = await messages.compose(readRequestContent(writeRequestContent(content)), facts);
  const signature = await signMessage(message, { domain: DOMAIN, selector: 's', key });
  return {
    unsigned: Buffer.concat(messageBytes(message)),
    signed: Buffer.concat(messageBytes(message, [signature])),
  };
}

/** The message as a mail program parses it, in a form that a reviewer can compare with the request. */
async function parsed(bytes: Buffer) {
  const mail = await simpleParser(bytes, {
    skipImageLinks: true,
    skipHtmlToText: true,
    skipTextToHtml: true,
  });
  const tree = [...bytes.toString('latin1').matchAll(/^Content-Type: ([\w/-]+)/gm)].map(([, type]) => type);
  const { from, to, cc, replyTo, subject, messageId, date, text, html } = mail;
  const mailboxes = [from, to, cc, replyTo].map((field) =>
    [field ?? []].flat().flatMap(({ value }) => value),
  );
  return {
    fields: { mailboxes, subject, messageId, date, list: mail.headers.get('list') },
    names: mail.headerLines.map(({ line }) => line.slice(0, line.indexOf(':'))),
    tree,
    text,
    html,
    attachments: mail.attachments.map(({ headers, filename, cid, contentDisposition, related, content }) => ({
      type: headers.get('content-type'),
      filename,
      cid,
      contentDisposition,
      related,
      content: content.toString(),
    })),
  };
}

// A message that is retried after an upgrade must be the same message: a change of these files is a decision.
describe.each(Object.entries(GOLDEN_REQUESTS))('the golden message of %s', (name, request) => {
  it('has not changed by one byte', async () => {
    const { unsigned } = await madeOf(request);
    await expect(unsigned.toString('latin1')).toMatchFileSnapshot(`golden/${name}.eml`);
  });

  it('is the same when its texts are stored after the JSON', async () => {
    const { content, facts } = request;
    const stored = writeRequestContent(content, { rawTexts: true });
    const message = await messages.compose(readRequestContent(stored), facts);
    expect(Buffer.concat(messageBytes(message))).toEqual((await madeOf(request)).unsigned);
  });

  it('reads in an independent parser as requested', async () => {
    const { unsigned } = await madeOf(request);
    await expect(`${JSON.stringify(await parsed(unsigned), null, 2)}\n`).toMatchFileSnapshot(
      `golden/${name}.parsed`,
    );
  });

  it('has a valid signature, but not after a change of a service header', async () => {
    const { signed } = await madeOf(request);
    const verdict = async (bytes: Buffer) => {
      const { results } = await dkimVerify(bytes, { resolver: () => Promise.resolve([[record]]) });
      return results.map(({ status }) => status.result);
    };
    expect(await verdict(signed)).toEqual(['pass']);
    for (const name of ['Feedback-ID', 'CFBL-Address', 'List-Unsubscribe', 'List-Unsubscribe-Post']) {
      const changed = signed.toString('latin1').replace(new RegExp(`^(${name}: )(.)`, 'm'), '$1x$2');
      if (changed === signed.toString('latin1')) continue;
      expect(await verdict(Buffer.from(changed, 'latin1')), name).toEqual(['fail']);
    }
  });
});

const program = openDkim();

describe.runIf(program)('OpenDKIM', () => {
  it('verifies every golden message, but no changed one', async () => {
    const files = await Promise.all(
      Object.entries(GOLDEN_REQUESTS).map(async ([name, request]) => {
        const { signed } = await madeOf(request);
        return { name: `${name}.eml`, bytes: signed };
      }),
    );
    const [first] = files;
    const changed = first!.bytes.toString('latin1').replace('\r\nCFBL-Address: f', '\r\nCFBL-Address: x');
    files.push({ name: 'changed.eml', bytes: Buffer.from(changed, 'latin1') });
    const verdicts = await verifyWithOpenDkim(program!, {
      files,
      keys: { [`s._domainkey.${DOMAIN}`]: record },
    });
    expect(verdicts).toEqual(Object.fromEntries(files.map(({ name }) => [name, name !== 'changed.eml'])));
  });
});

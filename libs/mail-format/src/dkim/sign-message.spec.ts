import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { dkimVerify } from 'mailauth';
import { describe, expect, it } from 'vitest';
import { composeMessage } from '../message/compose-message.js';
import { type Message, messageBytes, type MessageContent, splitMessage } from '../message/message.js';
import { BodyHasher, type Canonicalization, prepareBody } from './canonicalization.js';
import { type SigningOptions, signMessage } from './sign-message.js';
import { parseSigningKey, SigningKeys } from './signing-key.js';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed = generateKeyPairSync('ed25519');
const pem = (key: typeof rsa.privateKey) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const KEYS = { rsa: parseSigningKey(pem(rsa.privateKey)), ed25519: parseSigningKey(pem(ed.privateKey)) };
const RECORDS: Record<string, string> = {
  'rsa._domainkey.shop.test': `v=DKIM1; k=rsa; p=${rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`,
  'ed._domainkey.shop.test': `v=DKIM1; k=ed25519; p=${ed.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')}`,
};
const resolver = (name: string) => Promise.resolve([[RECORDS[name] ?? '']]);
const OPTIONS: SigningOptions = { domain: 'shop.test', selector: 'rsa', key: KEYS.rsa };

const CONTENT: MessageContent = {
  from: { email: 'orders@shop.test', name: 'Shop' },
  to: [{ email: 'ann@mail.test' }],
  subject: 'Your order',
  text: 'Thanks!',
  html: '<p>  Thanks!  </p>\n\n',
  messageId: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>',
  date: new Date('2026-01-05T08:00:00Z'),
};

async function verdicts(
  message: Message,
  signatures: Buffer[],
  change = (raw: string) => raw,
): Promise<string[]> {
  const raw = change(Buffer.concat(messageBytes(message, signatures)).toString('latin1'));
  const { results } = await dkimVerify(Buffer.from(raw, 'latin1'), { resolver });
  return results.map(({ status }) =>
    status.comment ? `${status.result} (${status.comment})` : status.result,
  );
}
const sign = async (message: Message, change: Partial<SigningOptions> = {}) =>
  verdicts(message, [await signMessage(message, { ...OPTIONS, ...change })]);

describe('a DKIM signature', () => {
  const all = [
    ['rsa', KEYS.rsa],
    ['ed', KEYS.ed25519],
  ] as const;
  const ways: Canonicalization[] = ['relaxed', 'simple'];
  it.each(
    all.flatMap(([selector, key]) =>
      ways.flatMap((head) => ways.map((body) => ({ selector, key, head, body }))),
    ),
  )('passes with $key.algorithm, $head/$body', async ({ selector, key, head, body }) => {
    const message = await composeMessage(CONTENT);
    expect(
      await sign(message, { selector, key, headerCanonicalization: head, bodyCanonicalization: body }),
    ).toEqual(['pass']);
  });

  it('passes over a body that was prepared once for several messages', async () => {
    const message = await composeMessage(CONTENT);
    const body = prepareBody(message.body);
    const other = { ...(await composeMessage({ ...CONTENT, subject: 'Other' })), body: message.body };
    expect(await sign(message, { body })).toEqual(['pass']);
    expect(await sign(other, { body })).toEqual(['pass']);
  });

  it('passes next to the signature of another signer', async () => {
    const message = await composeMessage(CONTENT);
    const first = await signMessage(message, { ...OPTIONS, selector: 'ed', key: KEYS.ed25519 });
    const both = [await signMessage(message, OPTIONS), first];
    expect(await verdicts(message, both)).toEqual(['pass', 'pass']);
  });

  it.each([
    ['a changed body', (raw: string) => raw.replace('Thanks!', 'Thanks?')],
    ['a changed subject', (raw: string) => raw.replace('Your order', 'My order')],
    ['a second From', (raw: string) => raw.replace('\r\nTo:', '\r\nFrom: ceo@shop.test\r\nTo:')],
    ['a From on top', (raw: string) => `From: ceo@shop.test\r\n${raw}`],
    ['an added Reply-To', (raw: string) => raw.replace('\r\nTo:', '\r\nReply-To: x@evil.test\r\nTo:')],
    ['an added Cc', (raw: string) => raw.replace('\r\nTo:', '\r\nCc: x@evil.test\r\nTo:')],
    ['a changed List-Unsubscribe', (raw: string) => raw.replace('/u/1', '/u/2')],
  ])('fails with %s', async (_what, change) => {
    const message = await composeMessage({
      ...CONTENT,
      headers: [{ name: 'List-Unsubscribe', value: '<https://shop.test/u/1>' }],
    });
    const signature = await signMessage(message, OPTIONS);
    expect(await verdicts(message, [signature])).toEqual(['pass']);
    expect((await verdicts(message, [signature], change))[0]).not.toBe('pass');
  });

  it.each([
    [
      'folding and blanks in headers',
      (raw: string) => raw.replace('Subject: Your order', 'Subject:   Your\r\n\torder '),
    ],
    ['blanks at line ends', (raw: string) => raw.replace('Thanks!\r\n', 'Thanks! \t \r\n')],
    ['empty lines at the end', (raw: string) => `${raw}\r\n\r\n`],
    ['a Received on top', (raw: string) => `Received: from a by b\r\n${raw}`],
  ])('survives %s when relaxed', async (_what, change) => {
    const message = await composeMessage({ ...CONTENT, html: undefined });
    expect(await verdicts(message, [await signMessage(message, OPTIONS)], change)).toEqual(['pass']);
  });

  it('covers the required fields, and From once more than there is', async () => {
    const message = await composeMessage({
      ...CONTENT,
      headers: [
        { name: 'X-Free', value: 'x' },
        { name: 'Feedback-ID', value: 'a' },
        { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
      ],
    });
    const signature = (
      await signMessage(message, { ...OPTIONS, signedAt: new Date(1_767_600_000_999) })
    ).toString();
    const names = /h=([^;]+);/.exec(signature)?.[1]?.replace(/\s/g, '').split(':');
    expect(names).toEqual(
      'from from to to cc subject subject date date message-id message-id reply-to sender mime-version mime-version content-type content-type content-transfer-encoding list-unsubscribe-post feedback-id'.split(
        ' ',
      ),
    );
    expect(signature).toContain('t=1767600000;');
    expect(Math.max(...signature.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78);
  });

  it.each([
    'Content-Type: text/plain',
    'MIME-Version: 1.1',
    'Content-Transfer-Encoding: base64',
    'Sender: eve@else.test',
  ])('breaks when another %s is added', async (field) => {
    const message = await composeMessage(CONTENT);
    const signature = await signMessage(message, OPTIONS);
    expect(await verdicts(message, [signature])).toEqual(['pass']);
    expect(await verdicts(message, [signature], (raw) => `${field}\r\n${raw}`)).toEqual([
      expect.stringMatching(/^fail/),
    ]);
  });

  it('needs DNS names for domain and selector', async () => {
    const message = await composeMessage(CONTENT);
    await expect(signMessage(message, { ...OPTIONS, domain: 'shop.test;\r\nx' })).rejects.toThrow(TypeError);
    await expect(signMessage(message, { ...OPTIONS, selector: '' })).rejects.toThrow(TypeError);
  });

  it('leaves the event loop free', async () => {
    const message = await composeMessage(CONTENT);
    let signed = 0;
    const all = Array.from({ length: 100 }, async () => {
      await signMessage(message, OPTIONS);
      signed++;
    });
    // Signatures on this thread would all be ready before the loop turns once.
    await new Promise((turn) => setImmediate(turn));
    expect(signed).toBeLessThan(100);
    await Promise.all(all);
  });
});

const anyBody = fc
  .array(
    fc.oneof(
      fc.constantFrom('\r\n', '\r\n', ' ', '\t', '  ', '.', '\r\n\r\n\r\n', ' \r\n', '\t\t'),
      fc.stringMatching(/^[\x21-\x7e]{1,12}$/),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(''));

describe('any message', () => {
  it('verifies, composed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          text: fc.string({ unit: 'grapheme', maxLength: 400 }),
          html: fc.option(anyBody, { nil: undefined }),
          subject: fc
            .string({ unit: 'grapheme', maxLength: 200 })
            .map((text) => text.replace(/\p{Cc}/gu, ' ')),
          name: fc.string({ unit: 'grapheme', maxLength: 100 }).map((text) => text.replace(/\p{Cc}/gu, ' ')),
        }),
        fc.constantFrom<Canonicalization>('relaxed', 'simple'),
        async ({ text, html, subject, name }, way) => {
          const message = await composeMessage({
            ...CONTENT,
            from: { email: 'orders@shop.test', name },
            text,
            html,
            subject,
          });
          expect(await sign(message, { headerCanonicalization: way, bodyCanonicalization: way })).toEqual([
            'pass',
          ]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('verifies, raw, with any headers and line endings', async () => {
    // Not the byte A0: mailauth takes it for a blank (it is `\s` in JavaScript, but no WSP in RFC 5234).
    const value = fc.stringMatching(/^(?:[\x20-\x7e\xa1-\xff\t]|\r\n[ \t]){0,60}$/);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('Subject', 'TO', 'cc', 'X-A', 'Date', 'List-Id'), value), {
          maxLength: 8,
        }),
        fc.oneof(
          anyBody,
          anyBody.map((body) => body.replaceAll('\r\n', '\n')),
        ),
        fc.constantFrom<Canonicalization>('relaxed', 'simple'),
        async (headers, body, way) => {
          const lines = headers.map(([name, text]) => `${name}: x${text}y`).join('\r\n');
          const raw = `From: orders@shop.test\r\n${lines}${lines ? '\r\n' : ''}\r\n${body}`;
          const message = splitMessage(Buffer.from(raw, 'latin1'));
          expect(await sign(message, { headerCanonicalization: way, bodyCanonicalization: way })).toEqual([
            'pass',
          ]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the hash of a body', () => {
  // RFC 6376 §3.4.5: an empty body.
  it.each([
    ['relaxed', '', '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
    ['simple', '', 'frcCV1k9oG9oKj3dpUqdJg1PxRT2RSN/XKdLCPjaYaY='],
    ['relaxed', ' \t\r\n\r\n', '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
  ] as const)('%s of %j is %s', (way, body, hash) => {
    expect(prepareBody([Buffer.from(body)], way).bodyHash).toBe(hash);
  });

  it('does not depend on how the body is cut', () => {
    fc.assert(
      fc.property(
        anyBody,
        fc.array(fc.nat(40)),
        fc.constantFrom<Canonicalization>('relaxed', 'simple'),
        (body, cuts, way) => {
          const bytes = Buffer.from(body, 'latin1');
          const hasher = new BodyHasher(way);
          let from = 0;
          for (const length of cuts) {
            hasher.update(bytes.subarray(from, from + length));
            from += length;
          }
          expect(hasher.update(bytes.subarray(from)).digest()).toEqual(prepareBody([bytes], way));
        },
      ),
    );
  });

  it('is right for bodies longer than any piece, with blanks and empty lines where they are cut', () => {
    const block = `${'a b\t \r\n'.repeat(9_362)}${' '.repeat(70_000)}\r\n${'\r\n'.repeat(100_000)}x`;
    const relaxed = `${'a b\r\n'.repeat(9_362)}\r\n${'\r\n'.repeat(100_000)}x\r\n`;
    expect(prepareBody([Buffer.from(block)], 'relaxed').bodyHash).toBe(
      prepareBody([Buffer.from(relaxed)], 'simple').bodyHash,
    );
  });
});

describe('signing keys', () => {
  it('are parsed once and kept within a bound', () => {
    const keys = new SigningKeys(2);
    let parsed = 0;
    const get = (id: string) =>
      keys.get(id, () => {
        parsed++;
        return pem(ed.privateKey);
      });
    const first = get('a');
    expect(get('a')).toBe(first);
    get('b');
    get('a');
    get('c');
    expect(get('a')).toBe(first);
    expect(parsed).toBe(3);
    get('b');
    expect(parsed).toBe(4);
  });

  it.each([
    ['no PEM', 'nonsense'],
    ['a short RSA key', pem(generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey)],
    ['another kind of key', pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)],
  ])('are refused when they are %s', (_what, text) => expect(() => parseSigningKey(text)).toThrow(TypeError));
});

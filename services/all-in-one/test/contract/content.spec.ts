import { simpleParser, type AddressObject, type ParsedMail } from 'mailparser';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, sharedInstallation, unique, type Account } from './harness.js';

const postmesh = sharedInstallation();
let account: Account;
let domain: string;

beforeAll(async () => {
  account = await postmesh.newAccount();
  domain = await postmesh.verifiedDomain(account);
});

const mailbox = (label: string) => `${unique(label)}@mail.test`;

/** @returns the ids of the result list */
async function send(path: string, body: object): Promise<string[]> {
  const from = { email: `news@${domain}`, name: 'Shop' };
  const sent = await postmesh.api(account.key, 'POST', `{A}${path}`, {
    body: { from, subject: 'Content', ...body },
  });
  expect(sent.status, JSON.stringify(sent.body)).toBe(202);
  return sent.body.data.map(({ id }: { id: string }) => id);
}

interface Received {
  raw: string;
  mail: ParsedMail;
  auth: object;
}

/** What lies in the mailbox of an address, read by a parser that is not ours. */
async function received(address: string): Promise<Received> {
  await eventually(async () => (await postmesh.messagesTo(address)).length).toBe(1);
  const [message] = await postmesh.messagesTo(address);
  const raw = await postmesh.messageText(message!.id);
  const options = { skipImageLinks: true, skipHtmlToText: true, skipTextToHtml: true };
  return { raw, mail: await simpleParser(raw, options), auth: (message as unknown as { auth: object }).auth };
}

const read = async (id: string) =>
  (await postmesh.api(account.key, 'GET', `{A}/messages/${encodeURIComponent(id)}`)).body;

const treeOf = (raw: string) => [...raw.matchAll(/^Content-Type: ([\w/-]+)/gm)].map(([, type]) => type);
const headerNames = ({ headerLines }: ParsedMail) => headerLines.map(({ key }) => key);
const mailboxes = (field: AddressObject | AddressObject[] | undefined) =>
  [field ?? []].flat().flatMap(({ value }) => value.map(({ address, name }) => ({ address, name })));

const PICTURE = Buffer.from('not really a picture');
const FILES = [
  {
    file_name: 'logo.png',
    content_type: 'image/png',
    content_id: '<logo@shop>',
    data: PICTURE.toString('base64'),
    base64: true,
  },
  {
    file_name: 'Einladung für März.ics',
    content_type: 'text/calendar; method=REQUEST; charset=UTF-8',
    data: 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n',
  },
];

describe('§5.1 MIME', () => {
  it('§5.1 rule 1 the service writes these headers, once each, and signs for the domain of the sender', async () => {
    const to = mailbox('made');
    const headers = {
      'Feedback-ID': 'forged',
      'CFBL-Address': 'forged@x.test',
      'Message-ID': '<forged@x.test>',
    };
    const [id] = await send('/messages/conversation', {
      to: [{ email: to, name: 'Änn' }],
      text_content: 'Hi',
      headers,
    });
    const { mail, raw, auth } = await received(to);
    expect(id).toMatch(new RegExp(`^<[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f-]{16}@${domain}>$`));
    expect(mail.messageId).toBe(id);
    expect(mailboxes(mail.from)).toEqual([{ address: `news@${domain}`, name: 'Shop' }]);
    expect(mailboxes(mail.to)).toEqual([{ address: to, name: 'Änn' }]);
    expect(mail.subject).toBe('Content');
    expect(Math.abs(Number(mail.date) - Date.now())).toBeLessThan(600_000);
    for (const name of ['date', 'mime-version', 'message-id', 'from', 'to', 'subject', 'dkim-signature']) {
      expect(
        headerNames(mail).filter((key) => key === name),
        name,
      ).toHaveLength(1);
    }
    expect(mail.headers.get('feedback-id')).toContain(account.id);
    expect(mail.headers.get('cfbl-address')).toMatch(/^fbl\+[a-z2-7]{42}@rp\.[^;]+; report=arf$/);
    expect(raw).not.toContain('forged');
    const signature = mail.headers.get('dkim-signature') as { params: Record<string, string> };
    expect(signature.params).toMatchObject({ d: domain });
    expect(signature.params['h']!.replaceAll(/\s/g, '').split(':')).toEqual(
      expect.arrayContaining(['from', 'feedback-id', 'cfbl-address']),
    );
    expect(auth).toMatchObject({ dkim: 'pass', dmarc: 'pass' });
  });

  it('§5.1 rule 2 every level of the tree, with names beyond ASCII', async () => {
    const to = mailbox('tree');
    await send('/messages/conversation', {
      to: [{ email: to }],
      subject: 'Grüße 📚',
      text_content: 'Grüße',
      amp_content: '<!doctype html><html ⚡4email><body>Grüße</body></html>',
      html_content: '<p>Grüße <img src="cid:logo@shop"></p>',
      attachments: FILES,
    });
    const { mail, raw } = await received(to);
    expect(treeOf(raw)).toEqual([
      'multipart/mixed',
      'multipart/related',
      'multipart/alternative',
      'text/plain',
      'text/x-amp-html',
      'text/html',
      'image/png',
      'text/calendar',
    ]);
    expect(mail).toMatchObject({
      subject: 'Grüße 📚',
      text: 'Grüße',
      html: '<p>Grüße <img src="cid:logo@shop"></p>',
    });
    const [, picture, calendar] = mail.attachments;
    expect(picture).toMatchObject({
      cid: 'logo@shop',
      related: true,
      contentDisposition: 'inline',
      content: PICTURE,
    });
    expect(calendar).toMatchObject({ filename: 'Einladung für März.ics', contentDisposition: 'attachment' });
    // no byte beyond ASCII, no line beyond 998 characters
    expect(raw).toMatch(/^[\t\r\n\x20-\x7e]*$/);
    expect(Math.max(...raw.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998);
  });

  it.each([
    ['a text', { text_content: 'Hi' }, ['text/plain']],
    [
      'both texts',
      { text_content: 'Hi', html_content: 'Hi' },
      ['multipart/alternative', 'text/plain', 'text/html'],
    ],
    [
      'HTML and a picture',
      { html_content: 'Hi', attachments: FILES.slice(0, 1) },
      ['multipart/related', 'text/html', 'image/png'],
    ],
    [
      'a text and a file',
      { text_content: 'Hi', attachments: FILES.slice(1) },
      ['multipart/mixed', 'text/plain', 'text/calendar'],
    ],
  ])('§5.1 rule 2 levels with one child are dropped: %s', async (_what, content, tree) => {
    const to = mailbox('collapsed');
    await send('/messages/conversation', { to: [{ email: to }], ...content });
    expect(treeOf((await received(to)).raw)).toEqual(tree);
  });

  it('§5.1 rule 3 HTML alone stays alone', async () => {
    const to = mailbox('html');
    await send('/messages/conversation', { to: [{ email: to }], html_content: '<p>Hi</p>' });
    const { mail, raw } = await received(to);
    expect(treeOf(raw)).toEqual(['text/html']);
    expect([String(mail.html).trim(), mail.text ?? '']).toEqual(['<p>Hi</p>', '']);
  });
});

describe('§5.3 attachments', () => {
  it('§5.3 calendars keep their method; what is no content_id makes an ordinary attachment', async () => {
    const to = mailbox('files');
    await send('/messages/conversation', {
      to: [{ email: to }],
      html_content: '<img src="cid:logo@shop">',
      attachments: [
        FILES[1],
        { ...FILES[0], content_id: 'logo@shop' },
        { ...FILES[0], content_disposition: 'attachment; filename="x.png"' },
        { ...FILES[0], content_disposition: '' },
        { ...FILES[0], content_disposition: 'something else' },
      ].map((file, nth) => ({ ...file, file_name: `${nth}.bin` })),
    });
    const { mail } = await received(to);
    const files = mail.attachments.toSorted((one, other) => one.filename!.localeCompare(other.filename!));
    expect(files.map(({ contentDisposition, cid }) => [contentDisposition, cid])).toEqual([
      ['attachment', undefined],
      ['attachment', undefined],
      ['attachment', 'logo@shop'],
      ['inline', 'logo@shop'],
      ['attachment', 'logo@shop'],
    ]);
    expect(files[0]!.headers.get('content-type')).toMatchObject({
      value: 'text/calendar',
      params: { method: 'REQUEST', charset: 'UTF-8' },
    });
  });
});

describe('§3 the message', () => {
  it('§3 content is what was sent without its signature, content_parsed is the same taken apart', async () => {
    const to = mailbox('read');
    const [id] = await send('/messages/conversation', {
      to: [{ email: to, name: 'Änn' }],
      text_content: 'Grüße',
      html_content: '<p>Grüße <a href="https://shop.test/">shop</a></p>',
      attachments: FILES,
      headers: [
        { name: 'X-Note', value: 'größer' },
        { name: 'X-Note', value: 'two' },
      ],
      tracking: { open: true, click: true },
    });
    const { raw } = await received(to);
    const message = await read(id!);
    expect(raw.endsWith(message.content)).toBe(true);
    expect(message.content).toMatch(/^Date: /);
    // the rest is on top: the signature, and what the receiving server adds
    expect(raw.slice(0, -message.content.length)).toContain('DKIM-Signature: ');
    expect(message.content).toMatch(/\/c\/[\w=\r\n-]+">shop/);
    expect(
      message.content_parsed.parts.map(({ content_type }: { content_type: string }) => content_type),
    ).toEqual(['text/plain', 'text/html']);
    expect(message.content_parsed.parts[0].content.trim()).toBe('Grüße');
    expect(message.content_parsed.attachments).toEqual([
      {
        filename: 'logo.png',
        content_type: 'image/png',
        content_id: 'logo@shop',
        content: PICTURE.toString('base64'),
      },
      expect.objectContaining({ filename: 'Einladung für März.ics', content_id: '' }),
    ]);
    expect(message.content_parsed.headers).toMatchObject({
      'Message-ID': [id],
      To: [`Änn <${to}>`],
      'X-Note': ['größer', 'two'],
      'Feedback-ID': [expect.stringContaining(account.id)],
      'CFBL-Address': [expect.stringMatching(/^fbl\+/)],
    });
  });

  it('§3 in a tracked conversation each recipient reads the message of their own', async () => {
    const [ann, bob] = [mailbox('ann'), mailbox('bob')];
    const [id] = await send('/messages/conversation', {
      to: [{ email: ann }],
      bcc: [{ email: bob }],
      html_content: '<a href="https://shop.test/">shop</a>',
      tracking: { open: true, click: false },
    });
    const [one, two] = [await received(ann), await received(bob)];
    expect([one.mail.messageId, two.mail.messageId]).toEqual([id, id]);
    expect(mailboxes(two.mail.to)).toEqual([{ address: ann, name: '' }]);
    const pixel = (html: unknown) => /\/o\/([\w-]+)/.exec(String(html))?.[1];
    expect(pixel(one.mail.html)).toBeDefined();
    expect(pixel(two.mail.html)).toBeDefined();
    expect(pixel(two.mail.html)).not.toBe(pixel(one.mail.html));
    expect(one.raw.endsWith((await read(id!)).content)).toBe(true);
  });
});

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

/** The message in the mailbox of an address, read by an independent parser. */
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

describe('spec 2-messages §5.1 MIME', () => {
  it('spec 2-messages §5.1 rule 1 the service writes these headers, once each, and signs for the domain of the sender', async () => {
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

  it('spec 2-messages §5.1 rule 2 every level of the tree, with names beyond ASCII', async () => {
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
  ])('spec 2-messages §5.1 rule 2 levels with one child are dropped: %s', async (_what, content, tree) => {
    const to = mailbox('collapsed');
    await send('/messages/conversation', { to: [{ email: to }], ...content });
    expect(treeOf((await received(to)).raw)).toEqual(tree);
  });

  it('spec 2-messages §5.1 rule 3 HTML alone stays alone', async () => {
    const to = mailbox('html');
    await send('/messages/conversation', { to: [{ email: to }], html_content: '<p>Hi</p>' });
    const { mail, raw } = await received(to);
    expect(treeOf(raw)).toEqual(['text/html']);
    expect([String(mail.html).trim(), mail.text ?? '']).toEqual(['<p>Hi</p>', '']);
  });
});

describe('spec 2-messages §5.3 attachments', () => {
  it('spec 2-messages §5.3 calendars keep their method; an invalid content_id makes an ordinary attachment', async () => {
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

describe('spec 2-messages §3 the message', () => {
  it('spec 2-messages §3 content is the sent message without its signature, content_parsed is the same, parsed', async () => {
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
    // the rest is on top: the signature, and the lines of the receiving server
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

  it('spec 2-messages §3 in a tracked conversation each recipient reads the message of their own', async () => {
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

describe('messages of their own', () => {
  it('spec 2-messages §4 rule 5, §5.1 rule 1 a regular send: each recipient reads the message rendered for them, alone in To', async () => {
    const [ann, bob, carl] = [mailbox('ann'), mailbox('bob'), mailbox('carl')];
    const ids = await send('/messages', {
      recipients: [
        { email: ann, name: 'Änn', substitutions: { name: '<b>Änn</b>', rows: ['a', 'b'] } },
        { email: bob, substitutions: { name: 'Bob' } },
        { email: carl },
      ],
      subject: 'Hello {{ name }}',
      text_content: '{{ name }}:{% for row in rows %} {{ row }}{% endfor %}',
      html_content: '<p>{{ name }}</p>',
      headers: { 'X-Name': '{{ name }}', 'X-Case': 'kept', Cc: 'boss@corp.test', Bcc: 'boss@corp.test' },
      attachments: FILES,
    });
    const [one, two, three] = [await received(ann), await received(bob), await received(carl)];
    expect([one.mail.messageId, two.mail.messageId, three.mail.messageId]).toEqual(ids);
    expect(new Set(ids).size).toBe(3);
    expect([one, two, three].map(({ mail }) => mailboxes(mail.to))).toEqual([
      [{ address: ann, name: 'Änn' }],
      [{ address: bob, name: '' }],
      [{ address: carl, name: '' }],
    ]);
    // no escaping, and braces stay where there are no values
    expect(one.mail).toMatchObject({
      subject: 'Hello <b>Änn</b>',
      text: '<b>Änn</b>: a b',
      html: '<p><b>Änn</b></p>',
    });
    expect(two.mail).toMatchObject({ subject: 'Hello Bob', text: 'Bob:', html: '<p>Bob</p>' });
    expect(three.mail).toMatchObject({ subject: 'Hello {{ name }}', html: '<p>{{ name }}</p>' });
    expect(two.mail.headers.get('x-name')).toBe('Bob');
    expect(two.raw).toMatch(/^X-Case: kept\r$/m);
    for (const { mail, raw, auth } of [one, two, three]) {
      expect([mail.cc, raw.includes('boss@corp.test')]).toEqual([undefined, false]);
      expect(mail.attachments.map(({ filename }) => filename)).toEqual([
        'logo.png',
        'Einladung für März.ics',
      ]);
      expect(auth).toMatchObject({ dkim: 'pass' });
    }
    // every recipient's message is read in the form in which it was sent
    for (const [nth, { raw }] of [one, two, three].entries()) {
      const message = await read(ids[nth]!);
      expect(raw.endsWith(message.content), `recipient ${nth}`).toBe(true);
    }
    expect(await read(ids[1]!)).toMatchObject({ subject: 'Hello Bob', message_id: ids[1], recipient: bob });
  });

  it('spec 2-messages §4 rule 8, §6.4 rule 10, §12 rule 1 a template send: escaped, with preheader, links and tracking of each', async () => {
    const made = await postmesh.api(account.key, 'POST', '{A}/templates', {
      body: {
        name: unique('Template'),
        subject: 'Code for {{ name }}',
        preheader: 'For {{ name }} & co',
        from: { email: `codes@${domain}`, name: 'Codes' },
        content: {
          html: '<html><body class="x"><p>{{ name }} {{ raw|safe }}</p><a href="https://shop.test/">shop</a><a href="{{ unsubscribe_url }}">stop</a></body></html>',
          text: 'Hi {{ name }}, {{ email }}: {{ unsubscribe_url }}',
        },
        publish: true,
      },
    });
    expect(made.status, made.bytes.toString()).toBe(201);
    const [ann, bob] = [mailbox('ann'), mailbox('bob')];
    const sent = await postmesh.api(account.key, 'POST', '{A}/messages/template', {
      body: {
        template_id: made.body.id,
        recipients: [
          { email: ann, substitutions: { name: 'A & B', raw: '<b>!</b>' } },
          { email: bob, substitutions: { name: 'Bob', raw: '' } },
        ],
        headers: { 'List-Unsubscribe': '<mailto:ours@shop.test>' },
        tracking: { open: true, click: true },
      },
    });
    expect(sent.status, sent.bytes.toString()).toBe(202);
    const ids = sent.body.data.map(({ id }: { id: string }) => id);
    const [one, two] = [await received(ann), await received(bob)];
    expect(one.mail).toMatchObject({ subject: 'Code for A & B', messageId: ids[0] });
    expect(mailboxes(one.mail.from)).toEqual([{ address: `codes@${domain}`, name: 'Codes' }]);
    expect(one.mail.html).toMatch(
      /^<html><body class="x"><div style="display:none;[^"]*">For A &amp; B &amp; co<\/div><p>A &amp; B <b>!<\/b><\/p>/,
    );
    const link = (mail: ParsedMail) => /https?:\/\/[^<>\s]+/.exec(String(mail.text))?.[0] ?? '';
    expect(one.mail.text).toBe(`Hi A & B, ${ann}: ${link(one.mail)}`);
    expect(link(one.mail)).toContain('/u/');
    expect(link(two.mail)).not.toBe(link(one.mail));
    // the unsubscribe link is the same in all places and never tracked, the other link is
    expect(one.mail.html).toContain(`<a href="${link(one.mail)}">stop</a>`);
    expect(one.mail.html).toMatch(/<a href="[^"]+\/c\/[\w-]+">shop<\/a>/);
    expect(one.mail.html).toMatch(/<img src="[^"]+\/o\/[\w-]+"[^>]*><\/body><\/html>\s*$/);
    expect(one.raw.replaceAll(/\r\n[ \t]/g, ' ').match(/^list-unsubscribe(-post)?: .*$/gim)).toEqual([
      `List-Unsubscribe: <${link(one.mail)}>`,
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    ]);
    const signature = one.mail.headers.get('dkim-signature') as { params: Record<string, string> };
    expect(signature.params['h']!.replaceAll(/\s/g, '').split(':')).toEqual(
      expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post']),
    );
    expect(one.auth).toMatchObject({ dkim: 'pass' });
    for (const [nth, { raw }] of [one, two].entries()) {
      const message = await read(ids[nth]!);
      expect(raw.endsWith(message.content), `recipient ${nth}`).toBe(true);
      expect(message.template_id).toBe(made.body.id);
    }
    // the message of a single recipient is stored rendered: nothing else changes
    const carl = mailbox('carl');
    const again = await postmesh.api(account.key, 'POST', '{A}/messages/template', {
      body: {
        template_id: made.body.id,
        recipients: [{ email: carl, name: 'Carl', substitutions: { name: '{{ C }}', raw: '' } }],
        tracking: { open: false, click: true },
      },
    });
    const three = await received(carl);
    expect(three.mail.subject).toBe('Code for {{ C }}');
    expect(three.mail.html).toContain(`&amp; co</div><p>{{ C }} </p>`);
    expect(three.mail.html).toContain(`<a href="${link(three.mail)}">stop</a>`);
    expect(three.mail.html).toMatch(/\/c\/[\w-]+">shop</);
    expect(three.raw.endsWith((await read(again.body.data[0].id)).content)).toBe(true);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { eventually, sharedInstallation, unique } from './harness.js';
import { ok, Sender, typesOf, type Call } from './sender.js';
import { newLogin, rawMail, submit, type Login, type Mail, type LastReply } from './smtp-client.js';

const postmesh = sharedInstallation();
let receiver: HttpReceiver;
let sender: Sender;
let login: Login;
let sandbox: Login;
let calls: () => Call[];

beforeAll(async () => {
  receiver = await startHttpReceiver();
  sender = await Sender.make(postmesh);
  calls = await sender.webhook(receiver);
  login = await newLogin(sender);
  sandbox = await newLogin(sender, { sandbox: true });
});
afterAll(() => receiver?.close());

const from = () => `news@${sender.domain}`;
const address = (label = 'r') => `${unique(label)}@mail.test`;
const send = (mail: Mail, by = login) => submit(postmesh, by, mail);
const raw = (to: string[], ...lines: string[]) => rawMail({ from: from(), to }, `From: ${from()}`, ...lines);
/** @returns the id of the first record */
const accepted = async (mail: Mail, by = login): Promise<string> => {
  const { reply, id } = await send(mail, by);
  expect(reply).toMatch(/^250 2\.0\.0 OK [0-9a-f-]{36}$/);
  return id;
};
const codeOf = ({ reply }: LastReply) => reply.slice(0, reply.indexOf(' ', 4));

async function arrived(to: string): Promise<string> {
  await eventually(() => postmesh.messagesTo(to), 30_000).toHaveLength(1);
  const [message] = await postmesh.messagesTo(to);
  return postmesh.messageText(message!.id);
}
const headersOf = (text: string) => text.slice(0, text.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');

describe('spec 2-messages §13 rule 3 credentials', () => {
  it('spec 2-messages §13 rule 3 are of use at once, and no longer when they are deleted', async () => {
    const made = ok(await sender.api('POST', '{A}/smtp-credentials', { name: 'n', scope: 'global' }), 201);
    const own = { user: made.username, pass: made.password };
    await accepted(raw([address()], '', 'x'), own);
    expect(codeOf(await send(raw([address()], '', 'x'), { ...own, pass: 'wrong' }))).toBe('535 5.7.8');
    ok(await sender.api('DELETE', `{A}/smtp-credentials/${made.id}`), 200);
    await eventually(async () => codeOf(await send(raw([address()], '', 'x'), own))).toBe('535 5.7.8');
  });

  it('spec 2-messages §13 rule 3 that are scoped send from their domains only', async () => {
    const other = await postmesh.verifiedDomain(sender.account);
    const scoped = await newLogin(sender, { scope: 'scoped', domains: [sender.domain] });
    await accepted(raw([address()], '', 'x'), scoped);
    const text = `550 5.7.1 authz_id '${scoped.user}' is not authorized to send as tenant '${sender.account.id}' or from this domain`;
    const { reply } = await send(
      rawMail({ from: `a@${other}`, to: [address()] }, `From: a@${other}`, '', 'x'),
      scoped,
    );
    expect(reply).toBe(text);
    const author = rawMail({ from: from(), to: [address()] }, `From: a@${other}`, '', 'x');
    expect((await send(author, scoped)).reply).toBe(text);
  });
});

describe('spec 2-messages §13 rule 7 senders', () => {
  const fromAnother = (domain: string) =>
    send(rawMail({ from: `a@${domain}`, to: [address()] }, `From: a@${domain}`, '', 'x'));

  it('spec 2-messages §13 rule 7, §13.6 are owned, valid and not paused, at MAIL FROM and in the message', async () => {
    expect(codeOf(await fromAnother('elsewhere.test'))).toMatch(/^556/);
    const unchecked = `${unique('nodns')}.test`;
    ok(await sender.api('POST', '{A}/domains', { domain: unchecked }), 201);
    expect(codeOf(await fromAnother(unchecked))).toMatch(/^556/);
    const author = rawMail({ from: from(), to: [address()] }, 'From: a@elsewhere.test', '', 'x');
    expect(codeOf(await send(author))).toMatch(/^556/);
    expect(
      codeOf(await send({ ...raw([address()], '', 'x'), envelope: { from: '', to: [address()] } })),
    ).toMatch(/^550/);
  });

  it('spec 2-messages §13.6 of a suspended account are refused at MAIL FROM with 521', async () => {
    const own = await Sender.make(postmesh);
    const ownLogin = await newLogin(own);
    const mail = () =>
      rawMail({ from: `a@${own.domain}`, to: [address()] }, `From: a@${own.domain}`, '', 'x');
    await accepted(mail(), ownLogin);
    const path = `/operator/accounts/accounts/${own.account.id}/suspend`;
    ok(await postmesh.operator('POST', path, { reason: 'test' }), 200);
    await eventually(async () => codeOf(await send(mail(), ownLogin))).toMatch(/^521/);
  });
});

describe('spec 2-messages §13 rule 8 a submitted message', () => {
  it('spec 2-messages §13 rule 8 is a record per recipient, with one Message-ID, and arrives as it was written', async () => {
    const [ann, bob] = [address('ann'), address('bob')];
    const messageId = `<${unique('client')}@${sender.domain}>`;
    const id = await accepted({
      envelope: { from: from(), to: [ann, bob] },
      messageId,
      from: { name: 'Büro', address: from() },
      to: ann,
      bcc: bob,
      subject: 'Grüße {{ name }} 📮',
      text: 'Hallo {{ name }},\n\n.\nGrüße',
      html: '<p>Hallo {{ name }}, <b>Grüße</b></p>',
      attachments: [{ filename: 'Übersicht.txt', content: 'Inhalt' }],
    });
    const query = `{A}/messages?message_id_header=${encodeURIComponent(messageId)}`;
    const { data } = ok(await sender.api('GET', query), 200);
    expect(data.map((one: { recipient: string }) => one.recipient).toSorted()).toEqual([ann, bob].toSorted());
    expect(await sender.becomes(id, 'Delivered')).toMatchObject({
      message_id: messageId,
      subject: 'Grüße {{ name }} 📮',
      sender: from(),
      content_parsed: { attachments: [{ filename: 'Übersicht.txt' }] },
    });
    const texts = [await arrived(ann), await arrived(bob)];
    const [one = '', other = ''] = texts.map((text) => text.replace(/^Return-Path: [^\r]*\r\n/gm, ''));
    expect(one.slice(one.indexOf('DKIM-Signature'))).toBe(other.slice(other.indexOf('DKIM-Signature')));
    expect(one).not.toContain(bob);
    expect(headersOf(one)).toMatch(/^Received: by smtp\..* with ESMTPSA id /m);
    expect(headersOf(one)).not.toMatch(/127\.0\.0\.1|^bcc:/im);
    const { auth } = (await postmesh.mailbox(`/api/messages?to=${bob}`)).body.messages[0];
    expect(auth).toMatchObject({ spf: 'pass', dkim: 'pass', dmarc: 'pass' });
  });

  it('spec 2-messages §13 rule 8 keeps the signature and the bytes beyond ASCII of its sender', async () => {
    const to = address();
    await accepted(
      raw(
        [to],
        'Subject: x',
        'DKIM-Signature: v=1; a=rsa-sha256; d=shop.test; b=abc',
        '',
        'Grüße',
        '..',
        '.',
      ),
    );
    const text = await arrived(to);
    expect(headersOf(text).match(/^DKIM-Signature: /gim)).toHaveLength(2);
    expect(text).toMatch(/\r\n\r\nGrüße\r\n\.\.\r\n\.\r\n$/);
  });

  it('spec 2-messages §13 rule 8 reveals neither its hidden recipients nor forged headers of the service', async () => {
    const to = address();
    await accepted(
      raw(
        [to],
        'bcc: boss@corp.test,',
        ' eve@corp.test',
        'Resent-Bcc: eve@corp.test',
        'Return-Path: <x@corp.test>',
        'Feedback-ID: corp.test',
        'CFBL-Address: x@corp.test',
        'postmesh-tags: corp.test',
        '',
        'x',
      ),
    );
    const text = headersOf(await arrived(to));
    expect(text).not.toContain('corp.test');
    expect(text.match(/^CFBL-Address: fbl\+/gm)).toHaveLength(1);
    expect(text.match(/^Message-ID: |^Date: /gm)).toHaveLength(2);
  });

  it.each([
    ['two authors', ['From: a@evil.test', '']],
    ['an author in a fold', ['From:', ' a@evil.test', '']],
    ['an author behind a blank', ['From : a@evil.test', '']],
    ['two authors in one', ['Sender: a@evil.test', 'sender: b@evil.test', '']],
    ['two subjects', ['Subject: a', 'SUBJECT: b', '']],
    ['a line that is no header', ['hello', '']],
    ['a NUL', ['X-A: \0', '']],
  ])('spec 2-messages §13.6 with %s is malformed', async (_, lines) => {
    expect(codeOf(await send(raw([address()], ...lines)))).toBe('552 5.6.0');
  });

  it('spec 2-messages §13.6 that runs in circles is refused', async () => {
    const hops = Array.from({ length: 60 }, () => 'Received: by x; y');
    expect(codeOf(await send(raw([address()], ...hops, '', 'x')))).toBe('554 5.4.6');
  });
});

describe('spec 2-messages §13.5 control headers', () => {
  const html = (to: string, ...headers: string[]) =>
    raw(
      [to],
      'Subject: x',
      'MIME-Version: 1.0',
      'Content-Type: text/html; charset=utf-8',
      ...headers,
      '',
      '<body><a href="https://shop.test/">x</a></body>',
    );

  it('spec 2-messages §13.5 set tracking, retention and tags, and are never delivered', async () => {
    const [to, tag] = [address(), unique('tag')];
    const id = await accepted(
      html(
        to,
        'Postmesh-Track-Opens: true',
        'POSTMESH-TRACK-CLICKS: true',
        `postmesh-tags: ${tag}, b`,
        'postmesh-data-retention: 2',
        'postmesh-metadata-retention: 3',
      ),
    );
    const text = (await arrived(to)).replaceAll('=\r\n', '');
    expect(text).toMatch(/\/c\/[^]*\/o\//);
    expect(text).not.toMatch(/postmesh-(track|tags|data|metadata)/i);
    const message = await sender.message(id);
    expect(message.tags).toEqual([tag, 'b']);
    expect(Date.parse(message.retain_until) - Date.parse(message.created_at)).toBe(2 * 86_400_000);
    const open = /https?:\/\/[^"\s]+\/o\/[\w-]+/.exec(text)?.[0] ?? '';
    const path = new URL(open).pathname;
    await fetch(`${postmesh.url}${path}`, {
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
    });
    await eventually(() => typesOf(calls(), id)).toContain('message.opened');
  });

  it('spec 2-messages §13.5 with an invalid value are ignored and stripped', async () => {
    const to = address();
    const id = await accepted(
      html(to, 'postmesh-track-opens: perhaps', 'postmesh-sandbox: no', 'postmesh-tags: , ,'),
    );
    expect(await sender.becomes(id, 'Delivered')).toMatchObject({ tags: [] });
    expect(await arrived(to)).not.toMatch(/postmesh-|\/o\//i);
  });

  it('spec 2-messages §13.5, §10 rule 3 simulate, as a credential of the sandbox does', async () => {
    const to = address();
    const bounced = await accepted(html(to, 'postmesh-sandbox: 1', 'postmesh-sandbox-result: bounce'));
    await sender.becomes(bounced, 'Sandbox Bounced');
    await sender.becomes(await accepted(html(to), sandbox), 'Sandbox Delivered');
    await sender.becomes(await accepted(html(to, 'postmesh-sandbox: false'), sandbox), 'Sandbox Delivered');
    expect(await postmesh.messagesTo(to)).toEqual([]);
  });
});

describe('spec 2-messages §13 rule 9 a 250', () => {
  it('spec 2-messages §13 rule 9 is also the reply for a suppressed recipient, who gets nothing', async () => {
    const [to, other] = [address(), address()];
    const body = { email: to, domain: sender.domain, expires_at: '9999-12-31T23:59:59Z' };
    ok(await sender.api('POST', '{A}/suppressions', body), 201);
    const id = await accepted(raw([to, other], '', 'x'));
    await sender.becomes(id, 'Suppressed');
    await arrived(other);
    expect(await postmesh.messagesTo(to)).toEqual([]);
  });

  it('spec 2-messages §13 rule 9 comes when the message can be read', async () => {
    const id = await accepted(raw([address()], 'Subject: there', '', 'x'));
    expect(await sender.message(id)).toMatchObject({ id, subject: 'there', direction: 'outbound' });
  });
});

describe('spec 2-messages §13 rule 10 events', () => {
  it('spec 2-messages §13 rule 10 are those of a send of the API', async () => {
    const id = await accepted(raw([address()], '', 'x'));
    await eventually(() => typesOf(calls(), id)).toEqual(['message.reception', 'message.delivered']);
    const bounced = await accepted(raw([`${unique('bounce')}@mail.test`], '', 'x'));
    await eventually(() => typesOf(calls(), bounced)).toEqual(['message.reception', 'message.bounced']);
    const bySmtp = calls().find(({ data }) => data['id'] === id.replaceAll('-', ''))!;
    const sent = await sender.send(address());
    await eventually(() => typesOf(calls(), sent)).toHaveLength(2);
    const byApi = calls().find(({ data }) => data['id'] === sent.replaceAll('-', ''))!;
    expect(Object.keys(bySmtp.data).toSorted()).toEqual(Object.keys(byApi.data).toSorted());
  });
});

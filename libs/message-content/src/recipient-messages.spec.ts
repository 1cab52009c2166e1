import { describe, expect, it } from 'vitest';
import { messageBytes } from '@postmesh/mail-format';
import { LinkTokens } from '@postmesh/public-links';
import type { PartsRenderer } from './recipient-content.js';
import { isSharedMessage, RecipientMessages, type MessageFacts } from './recipient-messages.js';
import type { RequestContent } from './request-content.js';

const SETTINGS = {
  secretKeys: ['a secret of thirty-two characters'],
  serviceZone: 'mail.test',
  httpPort: 8080,
  linkHosts: 'domains' as const,
};
const ID = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01';
const OTHER_ID = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a02';
const FACTS: MessageFacts = {
  id: ID,
  email: 'ann@mail.test',
  accountId: '01980f3e-0000-7000-8000-000000000001',
  sendRequestId: ID,
  domainId: '01980f3e-0000-7000-8000-00000000000d',
  domain: 'shop.test',
  returnPathHost: null,
  trackingHost: null,
};
const CONTENT: RequestContent = {
  from: { email: 'news@shop.test' },
  subject: 'x',
  date: new Date(0),
  html: '<body><a href="https://shop.test/a">a</a></body>',
};
const CONVERSATION = { ...CONTENT, to: [{ email: 'all@mail.test' }], messageId: `<${ID}@shop.test>` };

const renderer: PartsRenderer = { render: () => Promise.reject(new Error('nothing is to be rendered')) };
const messages = new RecipientMessages(renderer, SETTINGS);
const tokens = new LinkTokens(SETTINGS.secretKeys);

async function compose(content: Partial<RequestContent> = {}, facts: Partial<MessageFacts> = {}) {
  const message = await messages.compose({ ...CONTENT, ...content }, { ...FACTS, ...facts });
  const text = Buffer.concat(messageBytes(message)).toString().replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const headers = text.slice(0, text.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]/g, ' ');
  return { text, header: (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(headers)?.[1] };
}

describe('spec 2-messages §1.5: a conversation with addresses beyond ASCII', () => {
  const to = [{ email: 'jürgen@mail.test', name: 'Jürgen' }, { email: 'ann@mail.test' }];
  const of = (email: string) => messages.compose({ ...CONVERSATION, to }, { ...FACTS, email });

  it('is ASCII for a recipient in ASCII, with the others as names', async () => {
    const message = await of('ann@mail.test');
    expect(message).toMatchObject({ smtpUtf8: false, eightBit: false });
    const text = Buffer.concat(messageBytes(message)).toString('latin1');
    expect(text).toMatch(/^[\x00-\x7f]*$/);
    expect(text).toContain('\r\nTo: =?UTF-8?B?SsO8cmdlbiA8asO8cmdlbkBtYWlsLnRlc3Q+?= :;, ann@mail.test\r\n');
  });

  it('has them whole for a recipient who is reached with SMTPUTF8', async () => {
    const message = await of('jürgen@mail.test');
    expect(message).toMatchObject({ smtpUtf8: true, eightBit: true });
    const text = Buffer.concat(messageBytes(message)).toString();
    expect(text).toContain('\r\nTo: =?UTF-8?B?SsO8cmdlbg==?= <jürgen@mail.test>, ann@mail.test\r\n');
  });

  it('that its sender composed needs SMTPUTF8 when its header does', () => {
    const raw = (subject: string) => ({
      raw: [Buffer.from(`From: a@shop.test\r\nSubject: ${subject}\r\n\r\nx`)],
    });
    return Promise.all([
      expect(messages.compose(raw('Grüße'), FACTS)).resolves.toMatchObject({ smtpUtf8: true }),
      expect(messages.compose(raw('x'), FACTS)).resolves.toMatchObject({ smtpUtf8: false }),
    ]);
  });
});

it('leaves out fields that an older release accepted and that cannot be written', async () => {
  const odd = {
    replyTo: { email: 'x\u0e0d\u0d0aX-Injected\u013avalue@mail.test' },
    headers: [
      { name: 'Date', value: 'yesterday' },
      { name: 'Cc', value: '\u674e@mail.test' },
      { name: 'X-Order', value: '17' },
    ],
  };
  const { text, header } = await compose(odd);
  expect(text).not.toMatch(/^(?:reply-to|cc|x-injected)/im);
  expect([header('X-Order'), header('Date')]).toEqual(['17', 'Thu, 01 Jan 1970 00:00:00 +0000']);
});

describe('headers of the service', () => {
  it('name the customer, and the address for complaints', async () => {
    const { header } = await compose();
    expect(header('Feedback-ID')).toBe(`01980f3e:${FACTS.accountId}:transactional:postmesh`);
    expect(header('CFBL-Address')).toMatch(/^fbl\+[a-z2-7]{42}@rp\.mail\.test; report=arf$/);
    const own = await compose({}, { returnPathHost: 'rp.shop.test' });
    expect(own.header('CFBL-Address')).toMatch(/@rp\.shop\.test; /);
  });

  it('identify one message, or the conversation that all recipients share', async () => {
    const cfbl = async (content: RequestContent, facts: Partial<MessageFacts>) =>
      (await compose(content, facts)).header('CFBL-Address');
    const other = { id: OTHER_ID };
    expect(await cfbl(CONTENT, other)).not.toBe(await cfbl(CONTENT, {}));
    expect(await cfbl(CONVERSATION, other)).toBe(await cfbl(CONVERSATION, {}));
    const tracking = { open: true, click: false };
    expect(await cfbl(CONVERSATION, { ...other, tracking })).not.toBe(await cfbl(CONVERSATION, { tracking }));
  });
});

describe('tracking', () => {
  it('inserts pixel and links of this message, on the host of the domain or else the service', async () => {
    const { text } = await compose({}, { tracking: { open: true, click: true } });
    const [, click = '', open = ''] =
      /http:\/\/localhost:8080\/c\/([\w-]+)[^]+http:\/\/localhost:8080\/o\/([\w-]+)/.exec(text) ?? [];
    expect(tokens.read(click)).toEqual({
      kind: 'click',
      messageId: ID,
      index: 0,
      url: 'https://shop.test/a',
    });
    expect(tokens.read(open)).toEqual({ kind: 'open', messageId: ID });
    const hosted = await compose(
      {},
      { tracking: { open: true, click: true }, trackingHost: 'track.shop.test' },
    );
    expect(hosted.text).toMatch(/https:\/\/track\.shop\.test\/c\/[^]+https:\/\/track\.shop\.test\/o\//);
  });

  it('leaves our own unsubscribe link unchanged, but not one that the client made', async () => {
    const link = { kind: 'unsubscribe' as const, messageId: ID, accountId: ID, domain: 'shop.test' };
    const ours = `https://subs.shop.test/u/${tokens.sign({ ...link, recipient: 'ann@mail.test' })}`;
    const theirs = 'https://shop.test/u/abcdef';
    const html = `<a href="${ours}">stop</a><a href="${theirs}">stop</a>`;
    const headers = [{ name: 'list-unsubscribe', value: `<mailto:x@shop.test>, <${ours}>, <${theirs}>` }];
    const { text } = await compose({ html, headers }, { tracking: { open: false, click: true } });
    const body = text.slice(text.indexOf('\r\n\r\n'));
    expect(body).toContain(`<a href="${ours}">`);
    expect(body).not.toContain(theirs);
  });

  it('touches HTML only', async () => {
    const { text } = await compose(
      { html: undefined, text: '<a href="https://shop.test/a">a</a>' },
      { tracking: { open: true, click: true } },
    );
    expect(text).toContain('\r\n\r\n<a href="https://shop.test/a">a</a>\r\n');
  });
});

describe('the body', () => {
  it('of a message that others share can be made once', async () => {
    const other = { ...FACTS, id: OTHER_ID, email: 'bob@mail.test' };
    const body = await messages.composeBody(CONTENT, FACTS);
    const whole = async (facts: MessageFacts) =>
      Buffer.concat(messageBytes(await messages.compose(CONTENT, facts)));
    const shared = Buffer.concat(messageBytes(await messages.compose(CONTENT, other, body)));
    expect(shared.equals(await whole(other))).toBe(true);
    expect(shared.equals(await whole(FACTS))).toBe(false);
  });
});

describe('a raw message', () => {
  const raw = (...lines: string[]) => ({ raw: [Buffer.from(`${lines.join('\r\n')}\r\n`)] });
  const TEXT = raw('From: a@shop.test', 'Subject: x', '', 'text');
  const HTML = raw('From: a@shop.test', 'Content-Type: text/html', '', '<a href="https://shop.test/a">a</a>');
  const other = { ...FACTS, id: OTHER_ID, email: 'bob@mail.test' };
  const tracking = { open: true, click: true };
  const bytesOf = async (content: typeof TEXT, facts: MessageFacts) => {
    const message = await messages.compose(content, facts);
    const bytes = Buffer.concat(messageBytes(message));
    expect(message.size).toBe(bytes.length);
    return bytes.toString();
  };

  it('is shared by all recipients unless its HTML is tracked per recipient', async () => {
    expect(isSharedMessage(TEXT, undefined)).toBe(true);
    expect(isSharedMessage(TEXT, tracking)).toBe(true);
    expect(isSharedMessage(HTML, { open: false, click: false })).toBe(true);
    expect(isSharedMessage(HTML, tracking)).toBe(false);
    expect(await bytesOf(HTML, other)).toBe(await bytesOf(HTML, FACTS));
    expect(await bytesOf(TEXT, { ...other, tracking })).toBe(await bytesOf(TEXT, { ...FACTS, tracking }));
  });

  it('has pixel and links of its recipient, the same at every retry', async () => {
    const made = await bytesOf(HTML, { ...other, tracking });
    expect(made).toBe(await bytesOf(HTML, { ...other, tracking }));
    expect(made).not.toBe(await bytesOf(HTML, { ...FACTS, tracking }));
    expect(made).not.toContain('https://shop.test/a');
    const token = /\/c\/([\w-]+)/.exec(made)?.[1] ?? '';
    expect(tokens.read(token)).toMatchObject({
      kind: 'click',
      messageId: OTHER_ID,
      url: 'https://shop.test/a',
    });
    const open = /\/o\/([\w-]+)/.exec(made)?.[1] ?? '';
    expect(tokens.read(open)).toMatchObject({ kind: 'open', messageId: OTHER_ID });
  });

  it('has the headers of the service after those of its sender', async () => {
    expect(await bytesOf(TEXT, FACTS)).toMatch(
      /^From: a@shop.test\r\nSubject: x\r\nFeedback-ID: .*\r\nCFBL-Address: fbl\+.*;\r\n report=arf\r\n\r\ntext\r\n$/,
    );
  });

  it('has one pixel, and links with distinct numbers, when it shows several HTML parts', async () => {
    const part = ['--b', 'Content-Type: text/html', '', '<a href="https://shop.test/a">a</a>'];
    const several = raw(
      'From: a@shop.test',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      ...part,
      ...part,
      '--b--',
    );
    const made = await bytesOf(several, { ...FACTS, tracking });
    expect(made.match(/\/o\//g)).toHaveLength(1);
    const links = [...made.matchAll(/\/c\/([\w-]+)/g)].map(([, token = '']) => tokens.read(token));
    expect(links).toMatchObject([{ index: 0 }, { index: 1_000 }]);
  });
});

import { describe, expect, it } from 'vitest';
import { failureKind } from '@postmesh/contracts';
import {
  messageContentOf,
  RenderFailed,
  type MessageRecipient,
  type PartsRenderer,
} from './recipient-content.js';
import type { RequestContent } from './request-content.js';

const ANN = { id: 'ann-1', email: 'ann@mail.test', domain: 'shop.test', accountId: 'account-1' };
const BOB = { ...ANN, id: 'bob-2', email: 'bob@mail.test' };
const CONTENT: RequestContent = {
  from: { email: 'news@shop.test' },
  subject: 'Hi {{ name }}',
  date: new Date(0),
  text: 'Text {{ name }}',
  html: '<body>{{ name }}</body>',
  amp: '<html ⚡4email>{{ name }}',
  headers: [
    { name: 'X-Name', value: '{{ name }}' },
    { name: 'X-Plain', value: 'plain' },
  ],
};
const escaped = (text: string) => text.replaceAll('<', '&lt;');

/** Supports `{{ name }}` only, and fails for the name "bad". */
const renderer: PartsRenderer = {
  render: async ({ parts, values }) =>
    values.map((each) => {
      const name = String(each['name'] ?? '');
      if (name === 'bad') return { ok: false, part: 'html_content', reason: 'no' };
      if (name === 'slow') return { ok: false, part: 'subject', reason: 'too slow', slow: true };
      const value = (escape: boolean | 'all') => (escape ? escaped(name) : name);
      const texts = parts.map(({ source, escape }) => source.replaceAll('{{ name }}', value(escape)));
      return { ok: true, texts };
    }),
};
const never: PartsRenderer = { render: () => Promise.reject(new Error('must not be asked')) };
const made = (content: Partial<RequestContent>, recipient: MessageRecipient = ANN) =>
  messageContentOf({ ...CONTENT, ...content }, recipient, renderer);

describe('the message of one recipient', () => {
  it('is addressed to the recipient only, with its own Message-ID', async () => {
    const recipients = { [ANN.id]: { name: 'Ann' } };
    const { to, messageId } = await made({ recipients });
    expect({ to, messageId }).toEqual({
      to: [{ email: 'ann@mail.test', name: 'Ann' }],
      messageId: '<ann-1@shop.test>',
    });
    expect((await made({ recipients }, BOB)).to).toEqual([{ email: 'bob@mail.test' }]);
  });

  it('has the common fields of a conversation', async () => {
    const to = [{ email: 'all@mail.test' }];
    expect(await made({ to, messageId: '<1@shop.test>' }, BOB)).toMatchObject({
      to,
      messageId: '<1@shop.test>',
    });
  });

  it('is rendered in all of its parts', async () => {
    const content = {
      ...CONTENT,
      rendering: { escapeHtml: true },
      preheader: '<{{ name }}> & co',
      recipients: { [ANN.id]: { values: { name: '<b>' } } },
    };
    expect(await messageContentOf(content, ANN, renderer)).toMatchObject({
      subject: 'Hi <b>',
      text: 'Text <b>',
      html: expect.stringMatching(
        /^<body><div style="display:none;[^"]*">&lt;&lt;b&gt;&gt; &amp; co<\/div>&lt;b><\/body>$/,
      ),
      amp: '<html ⚡4email><b>',
      headers: [
        { name: 'X-Name', value: '<b>' },
        { name: 'X-Plain', value: 'plain' },
      ],
    });
  });

  it('also escapes a preheader without variables', async () => {
    const content = { ...CONTENT, preheader: `Tom & "Jerry"`, recipients: { [ANN.id]: { values: {} } } };
    const preview = '>Tom &amp; &quot;Jerry&quot;</div>';
    for (const preheaderIsHtml of [true, false]) {
      const rendering = { escapeHtml: true, preheaderIsHtml };
      expect((await messageContentOf({ ...content, rendering }, ANN, renderer)).html).toContain(preview);
    }
    expect((await messageContentOf({ ...content, recipients: {} }, ANN, never)).html).toContain(preview);
  });

  it('prefers its own value to that of the request, key by key', async () => {
    const render = async (values: object) => {
      const rendering = { escapeHtml: false, values: { name: 'friend' } };
      const recipients = { [ANN.id]: { values: { ...values } } };
      return (await made({ rendering, recipients })).text;
    };
    expect(await render({ name: 'Ann' })).toBe('Text Ann');
    expect(await render({ other: 1 })).toBe('Text friend');
    expect(await render({ name: null })).toBe('Text ');
  });

  it('without values is literal, and is not rendered', async () => {
    const content = { ...CONTENT, rendering: { escapeHtml: false }, recipients: { [ANN.id]: {} } };
    expect(await messageContentOf(content, ANN, never)).toMatchObject({ subject: 'Hi {{ name }}' });
    expect(await messageContentOf(CONTENT, ANN, never)).toMatchObject({ text: 'Text {{ name }}' });
  });

  it('sends only sources with a template to the renderer', async () => {
    let asked: readonly string[] = [];
    const spy: PartsRenderer = {
      render: (job) => {
        asked = job.parts.map(({ name }) => name);
        return renderer.render(job);
      },
    };
    const recipients = { [ANN.id]: { values: { name: 'Ann' } } };
    const content = { ...CONTENT, text: 'plain', rendering: { escapeHtml: false }, recipients };
    const message = await messageContentOf(content, ANN, spy);
    expect(asked).toEqual(['subject', 'html_content', 'amp_content', 'headers.X-Name']);
    expect(message).toMatchObject({
      text: 'plain',
      html: '<body>Ann</body>',
      headers: [{ value: 'Ann' }, {}],
    });
  });

  it('has a subject of one line, whatever its values hold', async () => {
    const rendering = { escapeHtml: false, values: { name: 'a\r\n\nb\0' } };
    expect(await made({ rendering, recipients: { [ANN.id]: { values: {} } } })).toMatchObject({
      subject: 'Hi a b',
    });
  });

  it('keeps values under names with a meaning in JavaScript', async () => {
    const values = JSON.parse('{"__proto__": 1, "constructor": 2}') as Record<string, unknown>;
    let seen: unknown;
    const spy: PartsRenderer = {
      render: ({ parts, values: [given] }) => {
        seen = JSON.stringify(given);
        return Promise.resolve([{ ok: true, texts: parts.map(() => '') }]);
      },
    };
    const content = { ...CONTENT, rendering: { escapeHtml: false }, recipients: { [ANN.id]: { values } } };
    await messageContentOf(content, ANN, spy);
    expect(seen).toBe('{"__proto__":1,"constructor":2}');
  });
});

describe('a part that cannot be rendered', () => {
  it('is reported with its name, the reason, and whether a retry may help', async () => {
    const recipients = { [ANN.id]: { values: { name: 'bad' } }, [BOB.id]: { values: { name: 'Bob' } } };
    const content = { ...CONTENT, rendering: { escapeHtml: false }, recipients };
    const failure: unknown = await messageContentOf(content, ANN, renderer).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RenderFailed);
    expect(failure).toMatchObject({
      part: 'html_content',
      reason: 'no',
      message: 'html_content cannot be rendered: no',
    });
    expect(failureKind(failure)).toBe('poison');
    const slow = { ...content, recipients: { [ANN.id]: { values: { name: 'slow' } } } };
    const passing: unknown = await messageContentOf(slow, ANN, renderer).catch((error: unknown) => error);
    expect([failureKind(passing), passing]).toEqual(['transient', expect.any(RenderFailed)]);
    expect(await messageContentOf(content, BOB, renderer)).toMatchObject({ subject: 'Hi Bob' });
  });
});

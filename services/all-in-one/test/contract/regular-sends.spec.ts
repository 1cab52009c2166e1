import { startHttpReceiver } from '@postmesh/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, sharedInstallation, unique, UUID_V7 } from './harness.js';
import { outcomes, errorOf, Sender } from './sends.js';

const postmesh = sharedInstallation();
let sender: Sender;
beforeAll(async () => {
  sender = await Sender.make(postmesh);
});

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

describe('spec 2-messages §1.1 fields of every send', () => {
  const kinds: [string, (more: object) => ReturnType<Sender['regular']>][] = [
    ['regular', (more) => sender.regular(more)],
    ['conversation', (more) => sender.conversation(more)],
  ];

  describe.each(kinds)('%s', (_kind, send) => {
    it.each<[object, string]>([
      [{ from: { email: 'a@nobody.test' } }, "400 domain 'nobody.test' not found in this account"],
      [{ from: undefined }, '400 from is required'],
      [{ from: { name: 'x' } }, '400 from.email is required'],
      [
        { reply_to: { email: 'r@mail.test' }, headers: { 'Reply-To': 'x@mail.test' } },
        '400 reply_to and a reply-to header must not be given together',
      ],
      [{ subject: '' }, '400 subject must not be empty'],
      [{ subject: ' \t' }, '400 subject must not be empty'],
      [{ tags: ['x'.repeat(65)] }, '400 each of tags must have 1 to 64 characters'],
      [{ tags: [' '] }, '400 each of tags must have 1 to 64 characters'],
      [{ tags: Array.from({ length: 11 }, (_, at) => `t${at}`) }, '400 tags must have at most 10 items'],
      [
        { sandbox_result: 'explode' },
        '400 sandbox_result must be one of: deliver, bounce, defer, fail, suppress',
      ],
      [
        { sandbox: false, sandbox_result: 'x' },
        '400 sandbox_result must be one of: deliver, bounce, defer, fail, suppress',
      ],
      [{ tracking: { open: 'yes' } }, '400 tracking.open must be a boolean'],
      [{ retention: { metadata: 0 } }, '400 retention.metadata must be from 1 to 30'],
      [{ retention: { metadata: 31 } }, '400 retention.metadata must be from 1 to 30'],
      [{ retention: { data: -1 } }, '400 retention.data must be from 0 to 30'],
      [{ retention: { data: 1.5 } }, '400 retention.data must be an integer'],
      [{ nonsense: 1 }, '400 unknown field: nonsense'],
      [{ schedule: { at: 'x' } }, '400 unknown field: schedule.at'],
    ])('spec 2-messages §1.1 %j is refused', async (more, text) =>
      expect(await errorOf(send(more))).toBe(text),
    );
  });

  it('spec 2-messages §1.1 null means that a field is not given, also inside tracking, retention and schedule', async () => {
    const nothing = {
      reply_to: null,
      attachments: null,
      headers: null,
      tags: null,
      sandbox_result: null,
      tracking: { open: null, click: null },
      retention: { metadata: null, data: null },
      schedule: { first_attempt: null, expires: null },
      html_content: null,
      amp_content: null,
      substitutions: null,
      template_id: null,
      recipients: [{ email: 'ann@mail.test', name: null, substitutions: null }],
    };
    expect(await outcomes(sender.regular(nothing))).toEqual(['queued']);
    expect(await outcomes(sender.regular({ tracking: null, retention: null, schedule: null }))).toEqual([
      'queued',
    ]);
  });

  it('spec 2-messages §1.1 tags are trimmed, merged, and differ by letter case; addresses are trimmed and lower-cased', async () => {
    const recipients = [{ email: '  ANN@Mail.TEST ', name: ' Ann ' }];
    const { body } = await sender.readSent(
      sender.regular({
        recipients,
        tags: [' a', 'a', 'A'],
        from: { email: sender.from.email.toUpperCase() },
      }),
    );
    expect(body).toMatchObject({
      tags: ['a', 'A'],
      sender: sender.from.email,
      recipient: 'ann@mail.test',
    });
  });

  it.each([
    ['an object', { 'X-One': '1', 'x-two': '2' }],
    [
      'an array',
      [
        { name: 'X-One', value: '1' },
        { name: 'x-two', value: '2' },
      ],
    ],
  ])('spec 2-messages §1.1 headers are %s', async (_form, headers) => {
    const message = await sender.readSent(sender.regular({ headers }));
    expect(message.body.content).toMatch(/X-One: 1\r\nx-two: 2\r\n/);
  });

  it('spec 2-messages §1.1 §8 rule 1 times have any form of RFC 3339 and are answered as they were given', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19);
    const ahead = new Date(Date.now() + 3_600_000 + (23 * 60 + 59) * 60_000).toISOString().slice(0, 19);
    for (const first_attempt of [
      `${at}.123456789Z`,
      `${at.replace('T', 't')}z`,
      `${ahead}.5+23:59`,
      `${at}-00:00`,
    ]) {
      const { status, body } = await sender.regular({ schedule: { first_attempt } });
      expect([status, body.data?.[0]], first_attempt).toEqual([
        202,
        expect.objectContaining({ status: 'scheduled', schedule: { first_attempt } }),
      ]);
    }
    for (const expires of ['2030-02-30T00:00:00Z', `${at}`, `${at}+24:00`, 'tomorrow', '']) {
      expect(await errorOf(sender.regular({ schedule: { expires } }))).toBe(
        '400 invalid schedule.expires, provide a valid RFC3339 time string',
      );
    }
  });

  it('spec 2-messages §8 rule 1, §8 rule 4 a schedule lies in the future, within its days', async () => {
    const days = 86_400;
    for (const [schedule, text] of [
      [{ first_attempt: inSeconds(-5) }, 'schedule.first_attempt must be in the future and within 7 days'],
      [
        { first_attempt: inSeconds(7 * days + 60) },
        'schedule.first_attempt must be in the future and within 7 days',
      ],
      [{ expires: inSeconds(-5) }, 'schedule.expires must be in the future and within 8 days'],
      [{ expires: inSeconds(8 * days + 60) }, 'schedule.expires must be in the future and within 8 days'],
    ] as const) {
      expect(await errorOf(sender.regular({ schedule }))).toBe(`400 ${text}`);
    }
    const [later, sooner] = [inSeconds(3_600), inSeconds(1_800)];
    const backwards = { first_attempt: later, expires: sooner };
    expect((await sender.regular({ schedule: backwards })).status).toBe(400);
    expect(await outcomes(sender.regular({ schedule: { expires: later } }))).toEqual(['queued']);
  });
});

describe('spec 2-messages §1.2 regular send', () => {
  it('spec 2-messages §1.2 delivers a message of its own to each recipient, who sees no other', async () => {
    const names = [unique('ann'), unique('bob')].map((name) => `${name}@mail.test`);
    const recipients = names.map((email, nth) => ({ email, name: `N${nth}` }));
    const { body } = await sender.regular({
      sandbox: false,
      recipients,
      headers: { Cc: 'c@mail.test', bcc: 'd@mail.test' },
    });
    for (const [nth, email] of names.entries()) {
      await eventually(async () => (await postmesh.messagesTo(email)).length).toBe(1);
      const [message] = await postmesh.messagesTo(email);
      const text = await postmesh.messageText(message!.id);
      expect(text).toContain(`Message-ID: ${body.data[nth].id}\r\n`);
      expect(text).toMatch(new RegExp(`^To: N${nth} <${email}>\r\n`, 'm'));
      expect(text).not.toContain(names[1 - nth]);
      expect(text).not.toMatch(/^b?cc:/im);
    }
  });

  it.each<[object, string]>([
    [{ recipients: [] }, '400 recipients must have at least 1 items'],
    [
      { recipients: Array.from({ length: 101 }, (_, at) => ({ email: `r${at}@mail.test` })) },
      '400 recipients must have at most 100 items',
    ],
    [{ recipients: undefined }, '400 recipients is required'],
    [{ subject: undefined }, '400 subject is required'],
    [{ text_content: '' }, '400 Either text_content or html_content is required'],
    [
      { text_content: null, amp_content: '<html amp4email>' },
      '400 Either text_content or html_content is required',
    ],
    [{ cc: [{ email: 'a@mail.test' }] }, '400 unknown field: cc'],
    [{ bcc: [] }, '400 unknown field: bcc'],
    [{ to: [{ email: 'a@mail.test' }] }, '400 unknown field: to'],
    [{ template_id: '' }, '400 template_id is not accepted, use the template send'],
    [{ template_id: 'x', nonsense: 1 }, '400 template_id is not accepted, use the template send'],
    [{ substitutions: [] }, '400 substitutions must be an object'],
  ])('spec 2-messages §1.2 %j is refused', async (more, text) =>
    expect(await errorOf(sender.regular(more))).toBe(text),
  );

  it('spec 2-messages §1.2 a hundred recipients, the same address twice among them, are a hundred messages', async () => {
    const recipients = Array.from({ length: 100 }, (_, at) => ({ email: `r${at % 50}@mail.test` }));
    const { status, body } = await sender.regular({ recipients });
    expect(status).toBe(202);
    expect(new Set(body.data.map(({ id }: { id: string }) => id)).size).toBe(100);
    expect(body.data.map(({ recipient }: { recipient: { email: string } }) => recipient.email)).toEqual(
      recipients.map(({ email }) => email),
    );
  });

  it('spec 2-messages §1.2 checks in its order: each check decides although every later one would fail, too', async () => {
    const other = await Sender.make(postmesh);
    const unchecked = `unchecked-${other.domain}`;
    await postmesh.api(other.account.key, 'POST', '{A}/domains', { body: { domain: unchecked } });
    const key = await postmesh.newKey(other.account, { scopes: [`messages:send:{${unchecked}}`] });
    const steps: [object, string][] = [
      [{ subject: 5 }, '400 subject must be a string'],
      [{ recipients: [] }, '400 recipients must have at least 1 items'],
      [{ headers: { 'a b': 'c' } }, "400 invalid header name 'a b'"],
      [{ from: { email: 'a@nobody.test' } }, "400 domain 'nobody.test' not found in this account"],
      [
        { from: other.from },
        `403 this api key is not authorized to send messages from the domain '${other.domain}'`,
      ],
      [{ from: { email: `a@${unchecked}` } }, `400 domain '${unchecked}' does not have valid DNS records`],
    ];
    const later = { text_content: '', schedule: { expires: 'soon' }, sandbox_result: 'x' };
    for (const [at, [, text]] of steps.entries()) {
      const rest = Object.assign(
        {},
        later,
        ...steps
          .slice(at)
          .map(([change]) => change)
          .reverse(),
      );
      expect(await errorOf(other.regular(rest, { key })), text).toBe(text);
    }
    const ended: [object, string][] = [
      [{ text_content: '' }, '400 Either text_content or html_content is required'],
      [
        { schedule: { expires: 'soon' } },
        '400 invalid schedule.expires, provide a valid RFC3339 time string',
      ],
      [{ sandbox_result: 'x' }, '400 sandbox_result must be one of: deliver, bounce, defer, fail, suppress'],
      [
        { sandbox: false },
        `403 Sending from domain '${other.domain}' is paused. Check your dashboard for the reason.`,
      ],
      [{ subject: '{% if', substitutions: { a: 1 } }, '400 invalid template in subject: '],
    ];
    const pause = `/operator/domains/accounts/${other.account.id}/domains/${other.domain}/pause`;
    expect((await postmesh.operator('POST', pause, { reason: 'bounce_rate' })).status).toBeLessThan(300);
    for (const [at, [, text]] of ended.entries()) {
      const rest = Object.assign({}, ...ended.slice(at).map(([change]) => change));
      expect(await errorOf(other.regular(rest)), text).toContain(text);
    }
    const large = { text_content: 'x'.repeat(22_000_000) };
    expect(await errorOf(other.regular({ ...large, ...ended.at(-1)![0] }))).toMatch(/^400 invalid template/);
    expect(await errorOf(other.regular(large))).toBe('400 message size exceeds 20 MiB');
  });

  it('spec 2-messages §1.2 webhooks get the subject and Message-ID of each recipient', async () => {
    const receiver = await startHttpReceiver();
    try {
      const other = await Sender.make(postmesh);
      const hook = { name: 'h', url: receiver.url, scope: 'global', on_reception: true, on_delivered: true };
      await postmesh.api(other.account.key, 'POST', '{A}/webhooks', { body: hook });
      const recipients = ['Ann', 'Bob'].map((name) => ({
        email: `${unique(name.toLowerCase())}@mail.test`,
        substitutions: { name },
      }));
      const { body } = await other.regular({ sandbox: false, recipients, subject: 'Hi {{ name }}' });
      const headersOfCalls = () =>
        receiver.requests
          .map((call) => JSON.parse(call.body.toString()))
          .map(({ type, data }) => [type, data.recipient, data.subject, data.message_id_header].join(' '))
          .sort();
      const wanted = recipients.flatMap(({ email, substitutions: { name } }, nth) =>
        ['message.delivered', 'message.reception'].map(
          (type) => `${type} ${email} Hi ${name} ${body.data[nth].id}`,
        ),
      );
      await eventually(headersOfCalls).toEqual(wanted.sort());
    } finally {
      await receiver.close();
    }
  });

  it('spec 2-messages §1.2 is idempotent', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const first = await sender.regular({}, { headers });
    const again = await sender.regular({}, { headers });
    expect([again.status, again.bytes.toString()]).toEqual([202, first.bytes.toString()]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await sender.regular({ subject: 'Other' }, { headers })).status).toBe(422);
  });
});

describe('spec 2-messages §1.5 result list', () => {
  it('spec 2-messages §1.5 has one element per recipient in request order, with all that was given', async () => {
    const schedule = { first_attempt: inSeconds(3_600), expires: null };
    const recipients = [
      { email: 'Ann@mail.test', name: 'Ann', substitutions: { order: 'A-17', list: [1, null, { a: true }] } },
      { email: 'bob@mail.test' },
      { email: 'jürgen@mail.test', substitutions: {} },
    ];
    const { status, body } = await sender.regular({ recipients, schedule });
    expect([status, Object.keys(body), body.object]).toEqual([202, ['object', 'data'], 'list']);
    const [ann, bob, jürgen] = body.data;
    expect(ann).toEqual({
      object: 'message',
      id: expect.any(String),
      recipient: { ...recipients[0], email: 'ann@mail.test' },
      status: 'scheduled',
      schedule,
    });
    expect(bob.recipient).toEqual({ email: 'bob@mail.test', name: '' });
    expect(jürgen).toEqual({
      object: 'message',
      id: expect.any(String),
      recipient: { ...recipients[2], name: '' },
      status: 'scheduled',
      schedule,
    });
    const [, uuid, domain] = /^<(.*)@(.*)>$/.exec(ann.id) ?? [];
    expect([uuid, domain]).toEqual([expect.stringMatching(UUID_V7), sender.domain]);
    expect((await sender.read(ann.id)).body.id).toBe(uuid);
    expect(ann.id).not.toBe(bob.id);
  });

  it('spec 2-messages §1.5 renders and returns numbers with the digits that were given', async () => {
    const digits = ['1267890123456789012', '9007199254740992', '19.90', '1e400'];
    const [order, edge, price, huge] = digits.map((text) => JSON.rawJSON(text));
    const sent = await sender.regular({
      text_content: '{{ order }} {{ edge }} {{ price }} {{ list[0] }}',
      substitutions: { order, edge, price: 0 },
      recipients: ['ann', 'bob'].map((name) => ({
        email: `${name}@mail.test`,
        substitutions: { price, list: [huge] },
      })),
      retention: { metadata: JSON.rawJSON('3.0') },
    });
    expect(sent.bytes.toString()).toContain('"substitutions":{"price":19.90,"list":[1e400]}');
    expect((await sender.readSent(Promise.resolve(sent), 1)).text).toBe(digits.join(' '));
  });

  it('spec 2-messages §1.5 an error concerns its recipient alone, and is 202 also when there is no other', async () => {
    const account = await Sender.make(postmesh);
    const shields = { reject_bad_recipients: true };
    await postmesh.api(account.account.key, 'PUT', '{A}', { body: shields });
    const recipients = (...emails: string[]) => ({ recipients: emails.map((email) => ({ email })) });
    const toxic = '553 Requested action not taken: recipient domain is toxic or tempmail';
    expect(await outcomes(account.regular(recipients('a@mailinator.com', 'ann@mail.test')))).toEqual([
      toxic,
      'queued',
    ]);
    expect(await outcomes(account.regular(recipients('a@mailinator.com')))).toEqual([toxic]);
    const failing = { email: 'ann@mail.test', substitutions: { list: 1 } };
    const working = { email: 'bob@mail.test', substitutions: { list: [1] } };
    const text_content = '{% for one in list %}{{ one }}{% endfor %}';
    expect(await outcomes(account.regular({ recipients: [failing, working], text_content }))).toEqual([
      expect.stringMatching(/^text_content cannot be rendered: /),
      'queued',
    ]);
    expect(await errorOf(account.regular(recipients('ann@mail.test', 'bob')))).toBe(
      '400 recipients[1].email is not a valid email address',
    );
  });
});

describe('spec 2-messages §5.2 custom headers', () => {
  it.each(['', 'a b', 'a:b', 'a\r\nb', 'Größe'])(
    'spec 2-messages §5.2 rule 1 the name %j is refused',
    async (name) => {
      expect(await errorOf(sender.regular({ headers: [{ name, value: 'x' }] }))).toBe(
        `400 invalid header name '${name}'`,
      );
    },
  );

  it('spec 2-messages §5.2 rule 1, §5.2 rule 2 a name keeps its letter case, a long value is folded', async () => {
    const value = 'word '.repeat(100).trim();
    const message = await sender.readSent(sender.regular({ headers: { 'x-CamelCase!': value } }));
    expect(message.body.content).toContain('\r\nx-CamelCase!: word');
    const [field = ''] = /x-CamelCase!:(?:.*\r\n[ \t])*.*/.exec(message.body.content) ?? [];
    expect(Math.max(...field.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(78);
    expect(message.header('x-camelcase!')).toBe(value);
  });

  it.each(['a\rb', 'a\nb', 'a\r\nBcc: x@y.test', 'a\u0000b'])(
    'spec 2-messages §5.2 rule 2 the value %j is refused',
    async (value) =>
      expect(await errorOf(sender.regular({ headers: { 'X-A': value } }))).toMatch(/^400 .*X-A/),
  );

  it('spec 2-messages §5.2 rule 3 message-id is ignored; reply-to with reply_to, and cc with cc, are refused', async () => {
    const message = await sender.readSent(sender.regular({ headers: { 'MESSAGE-ID': '<mine@x.test>' } }));
    expect(message.body.message_id).not.toContain('mine');
    expect(message.body.content).not.toContain('mine@x.test');
    const reply_to = { email: 'r@mail.test' };
    expect((await sender.regular({ headers: { 'rePLY-to': 'x' }, reply_to })).status).toBe(400);
    const cc = { cc: [{ email: 'c@mail.test' }], headers: { cC: 'x' } };
    expect((await sender.conversation(cc)).status).toBe(400);
  });

  it('spec 2-messages §5.2 rule 4 headers of the service are ignored, others pass', async () => {
    const ignored = [
      'From',
      'to',
      'Bcc',
      'Subject',
      'Sender',
      'Return-Path',
      'Received',
      'DKIM-Signature',
      'ARC-Seal',
      'Mime-Version',
      'Content-Type',
      'Content-Foo',
      'Resent-To',
      'Authentication-Results',
      'Feedback-ID',
      'CFBL-Address',
    ];
    const passed = {
      'In-Reply-To': '<a@b.test>',
      References: '<a@b.test>',
      'List-Id': '<x>',
      'Auto-Submitted': 'no',
      'X-Any': 'thing',
      Date: 'Mon, 05 Jan 2026 08:00:00 +0000',
    };
    const headers = { ...Object.fromEntries(ignored.map((name) => [name, 'forged'])), ...passed };
    const message = await sender.readSent(sender.regular({ headers }));
    expect(message.body.content).not.toContain('forged');
    for (const [name, value] of Object.entries(passed)) expect(message.header(name)).toBe(value);
  });

  it('spec 2-messages §5.2 rule 5 control headers are obeyed and removed; body, then header, then account', async () => {
    const days = async (more: object) => {
      const { body } = await sender.readSent(sender.regular(more));
      return Math.round((Date.parse(body.retain_until) - Date.parse(body.created_at)) / 86_400_000);
    };
    const headers = { 'PostMesh-Data-Retention': '3', 'postmesh-tags': 'a,b', 'postmesh-new-thing': 'x' };
    const message = await sender.readSent(sender.regular({ headers }));
    expect(message.body.content).not.toMatch(/postmesh-(data|tags|new)/i);
    expect(message.body.tags).toEqual(['a', 'b']);
    expect([
      await days({ headers }),
      await days({ headers, retention: { data: 2 } }),
      await days({}),
    ]).toEqual([3, 2, 7]);
    expect(await errorOf(sender.regular({ headers: { 'postmesh-sandbox': 'no' } }))).toBe(
      "400 invalid value of header 'postmesh-sandbox'",
    );
  });

  it('spec 2-messages §5.2 rule 6 at most 50 headers of 8 KiB', async () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, 'v']));
    expect(await outcomes(sender.regular({ headers: many(50) }))).toEqual(['queued']);
    expect(await errorOf(sender.regular({ headers: many(51) }))).toBe('400 at most 50 headers are allowed');
    expect(await outcomes(sender.regular({ headers: { 'X-A': 'v'.repeat(8_189) } }))).toEqual(['queued']);
    expect(await errorOf(sender.regular({ headers: { 'X-A': 'v'.repeat(8_190) } }))).toBe(
      "400 header 'X-A' is longer than 8192 bytes",
    );
  });
});

describe('spec 2-messages §5.3 attachments', () => {
  const file = { data: 'aGk=', base64: true, content_type: 'image/png', file_name: 'a.png' };
  const inline = { ...file, content_id: '<pic>' };
  const html_content = '<img src="cid:pic">';

  it.each<[string, object, string]>([
    ['""', { ...file, content_disposition: '' }, 'attachment'],
    ['null', { ...file, content_disposition: null }, 'attachment'],
    ['absent', file, 'attachment'],
    ['"" with a content_id', { ...inline, content_disposition: '' }, 'inline'],
    ['absent with a content_id', inline, 'inline'],
    ['INLINE; filename="x"', { ...inline, content_disposition: 'INLINE; filename="x"' }, 'inline'],
    ['Attachment', { ...inline, content_disposition: 'Attachment' }, 'attachment'],
    ['anything else', { ...inline, content_disposition: 'form-data; name=x' }, 'attachment'],
  ])('spec 2-messages §5.3 content_disposition %s is %s', async (_what, attachment, disposition) => {
    const { body } = await sender.readSent(sender.regular({ html_content, attachments: [attachment] }));
    expect(/Content-Disposition: (\w+)/i.exec(body.content)?.[1]).toBe(disposition);
    expect(body.content_parsed.attachments[0]).toMatchObject({ filename: 'a.png', content: 'aGk=' });
  });

  it('spec 2-messages §5.3 missing content and invalid base64 are refused', async () => {
    const { data: _data, ...rest } = file;
    for (const [attachment, text] of [
      [rest, 'attachments[0].data is required'],
      [{ ...file, data: '%%' }, 'attachments[0].data is not valid base64'],
      [{ ...file, content_type: undefined }, 'attachments[0].content_type is required'],
      [{ ...file, file_name: undefined }, 'attachments[0].file_name is required'],
    ] as const) {
      expect(await errorOf(sender.regular({ attachments: [attachment] }))).toBe(`400 ${text}`);
    }
  });
});

describe('spec 2-messages §5.4 sizes', () => {
  it('spec 2-messages §5.4 too large before rendering is 400, only after it that of the recipient', async () => {
    const megabytes = (count: number) => 'x'.repeat(count * 1024 * 1024);
    const big = (data: string) => [{ data, content_type: 'text/plain', file_name: 'a' }];
    expect(await errorOf(sender.regular({ attachments: big(megabytes(16)) }))).toBe(
      '400 message size exceeds 20 MiB',
    );
    const recipients = [
      { email: 'a@mail.test', substitutions: { x: megabytes(5) } },
      { email: 'b@mail.test', substitutions: { x: 'small' } },
    ];
    const sent = { recipients, text_content: '{{ x }}', html_content: '{{ x }}' };
    expect(await outcomes(sender.regular({ ...sent, attachments: big(megabytes(8)) }))).toEqual([
      'message size exceeds 20 MiB',
      'queued',
    ]);
    expect(await errorOf(sender.regular({ text_content: megabytes(30) }))).toBe(
      '413 request body is too large',
    );
  });
});

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { startSends, type SendsUnderTest } from '../testing/sends-under-test.js';

// FUZZ_RUNS=10000 for longer runs.
const RUNS = Number(process.env.FUZZ_RUNS ?? 300);

const database = testDatabase();
let under: SendsUnderTest;
beforeAll(async () => {
  under = await startSends(database.url);
});
afterAll(() => under?.stop());

// Texts that are special to templates, headers, databases or JSON.
const ODD = [
  ...['', ' ', '\u0000', '\ud800', '\u202e', '\ufeff', '\r\nX: 1', '\n', '{}', '=?utf-8?q?a?='],
  ...[
    '{{ a }}',
    '{{ a',
    '{% if',
    '{#',
    '{{ x.y.z }}',
    '{% for i in x %}{{ i }}{% endfor %}',
    '{{ a|safe|upper }}',
  ],
  ...['{{ "x"*1000000 }}', '{{ range(100000)|join }}', 'ü {{ a }}', '__proto__', 'constructor', 'toString'],
  ...['9'.repeat(400), 'x'.repeat(5_000), 'ä@ö.test', '"a b"@mail.test', 'a@[1.2.3.4]', '<x@y>', '1e999'],
];
const text = fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: 'binary', maxLength: 30 }));
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 2, arbitrary: text },
  fc.constantFrom(null, true, 0, -1, 1.5, 1e308, [], {}, [null], { a: 1 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.array(text, { maxLength: 60 }),
);

type Path = readonly (string | number)[];

function* places(body: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof body !== 'object' || body === null) return;
  for (const [key, inner] of Object.entries(body)) yield* places(inner, [...path, key]);
}

function put(body: unknown, [key, ...rest]: Path, given: unknown): unknown {
  if (key === undefined) return given;
  const inner = put((body as Record<string, unknown>)[key], rest, given);
  if (Array.isArray(body)) return body.map((one, at) => (String(at) === String(key) ? inner : one));
  return { ...(body as object), [key]: inner };
}

const SHARED = {
  headers: { 'X-A': 'b {{ a }}', References: '<{{ a }}>' },
  tags: ['a'],
  attachments: [
    { data: 'aGk=', base64: true, content_type: 'text/plain', file_name: 'a.txt', content_id: '<x>' },
  ],
  reply_to: { email: 'r@mail.test', name: 'R' },
  schedule: { expires: new Date(Date.now() + 3_600_000).toISOString() },
  sandbox: true,
};
const RECIPIENTS = [
  { email: 'ann@mail.test', name: 'Ann', substitutions: { a: 'b', x: [1, { c: null }] } },
  { email: 'bob@mail.test', substitutions: { a: 'q', x: [] } },
];
const FROM = { email: 'a@shop.test', name: 'A' };
const TEXTS = {
  subject: 's {{ a }}',
  text_content: 't {{ a }}',
  html_content: '{{ x }}',
  amp_content: '{{ a }}',
};

const changed = ([kind, body]: [string, object]) => {
  const all = [...places(body)];
  const told = all.filter(([field]) =>
    /recipients|subject|headers|content|substitutions/.test(String(field)),
  );
  const place = fc.oneof(fc.constantFrom(...all), fc.constantFrom(...told));
  return fc.tuple(place, value).map(([path, given]) => [kind, put(body, path, given)] as const);
};

it('each send is refused, or its messages can be composed', async () => {
  const template_id = await under.template({
    html: '<body>{{ a }}{% for i in x %}{{ i }}{% endfor %}{{ unsubscribe_url }}</body>',
    text: '{{ a }}',
    preheader: '{{ a }}',
    subject: 'S {{ a }}',
  });
  const sends: [string, object][] = [
    ['', { from: FROM, recipients: RECIPIENTS, ...TEXTS, substitutions: { a: 1, y: 2 }, ...SHARED }],
    ['/template', { template_id, recipients: RECIPIENTS, subject: 'Q {{ a }}', ...SHARED }],
    ['/conversation', { from: FROM, to: RECIPIENTS, ...TEXTS, ...SHARED }],
  ];
  const request = fc.constantFrom(...sends).chain(changed);
  await fc.assert(
    fc.asyncProperty(request, async ([kind, body]) => {
      const { status, body: answer } = await under.send(kind as '', body);
      expect([202, 400], JSON.stringify(body)).toContain(status);
      if (status === 202) for (const { id } of answer.data) if (id !== null) await readable(id);
    }),
    { numRuns: RUNS },
  );
});

/** No line of the header section comes from a value. */
async function readable(id: string): Promise<void> {
  const path = `/v2/accounts/${under.accountId}/messages/${encodeURIComponent(id)}`;
  const { status, body } = await under.call('GET', path);
  expect([status, typeof body.content]).toEqual([200, 'string']);
  const [head = ''] = body.content.split('\r\n\r\n');
  for (const line of head.split('\r\n')) expect(line).toMatch(/^(?:[\x21-\x39\x3b-\x7e]+:|[ \t])/);
}

import { randomUUID } from 'node:crypto';
import { OPERATIONS, type OperationSpec } from '@postmesh/contracts';
import fc from 'fast-check';
import type { FullAccount } from './two-accounts.js';

export interface BadRequest {
  method: string;
  target: string;
  headers: [string, string][];
  body: Buffer;
}

/** The fields of all sends. */
const sharedFields = () => ({
  headers: { 'x-a': 'b {{ a }}' },
  tags: ['a'],
  attachments: [
    { data: 'aGk=', base64: true, content_type: 'text/plain', file_name: 'a.txt', content_disposition: '' },
  ],
  reply_to: { email: 'r@mail.test' },
  tracking: { open: true },
  retention: { metadata: 3, data: 1 },
  schedule: { expires: new Date(Date.now() + 3_600_000).toISOString() },
  sandbox: true,
  sandbox_result: 'deliver',
});

/** Valid bodies, so that the code that reads a changed field is reached. */
const BODIES: Record<string, (own: FullAccount) => Record<string, unknown>> = {
  'account.update': () => ({
    name: 'n',
    website: 'https://a.test',
    about: 'x',
    track_opens: true,
    message_data_retention: 3,
  }),
  'members.add': () => ({ email: 'm@mail.test', role: 'Analyst', name: 'M' }),
  'members.update': () => ({ role: 'Developer' }),
  'api-keys.create': ({ domain }) => ({
    label: 'k',
    scopes: ['accounts:read', `messages:send:{${domain}}`],
    ip_allow_list: ['192.0.2.0/24', '2001:db8::/32'],
  }),
  'api-keys.update': () => ({ label: 'k', scopes: ['accounts:read'], ip_allow_list: [] }),
  'sub-accounts.create': () => ({ name: 'c', website: 'c.test', monthly_credit: 5 }),
  'sub-accounts.update': () => ({ name: 'c', website: 'https://c.test/', monthly_credit: 0 }),
  'sub-accounts.suspend': () => ({ reason: 'x' }),
  'sub-account-api-keys.create': () => ({ label: 'k', scopes: ['accounts:read'] }),
  'sub-account-api-keys.update': () => ({ label: 'k', scopes: ['lists:read'] }),
  'domains.create': () => ({
    domain: 'taken.invalid',
    tracking_subdomain: 'click',
    dkim_selector: null,
    sending_type: 'marketing',
  }),
  'domains.update': () => ({
    tracking_subdomain: 'click',
    dkim_selector: null,
    dkim_rotation_interval_days: 30,
    sending_type: 'marketing',
    dsn_recipient: 'a@b.test',
  }),
  'suppressions.create': ({ domain }) => ({
    email: 'ann@mail.test',
    expires_at: '2090-01-01T00:00:00Z',
    domain,
    reason: 'asked',
  }),
  'webhooks.create': ({ domain }) => ({
    name: 'n',
    url: 'http://127.0.0.1:9/',
    scope: 'scoped',
    domains: [domain],
    on_failed: true,
  }),
  'routes.create': ({ domain }) => ({
    name: 'n',
    url: 'http://127.0.0.1:9/',
    recipient: `ticket-*@${domain}`,
    attachments: true,
    headers: true,
    group_by_message_id: true,
    strip_replies: true,
    enabled: true,
  }),
  'routes.update': ({ domain }) => ({ name: 'n', recipient: `*@${domain}`, enabled: false }),
  'smtp-credentials.create': ({ domain }) => ({
    name: 'n',
    scope: 'scoped',
    sandbox: true,
    domains: [domain],
  }),
  'webhooks.update': ({ domain }) => ({ name: 'n', enabled: false, domains: [domain] }),
  'templates.create': ({ domain }) => ({
    name: 'n',
    subject: 's {{ a }}',
    preheader: 'p',
    from: { email: `a@${domain}`, name: 'A' },
    reply_to: { email: 'r@mail.test' },
    content: { html: '<p>{{ a }}</p>', text: 't', text_is_custom: true },
    publish: true,
  }),
  'templates.update': ({ domain }) => ({
    name: 'n',
    subject: null,
    preheader: '',
    from: { email: `a@${domain}` },
    reply_to: null,
    content: { html: '<p>{{ b }}</p>', text: null },
    publish: false,
  }),
  'templates.restore-version': () => ({ publish: true }),
  'templates.preview': () => ({
    published: false,
    email: 'ann@mail.test',
    substitutions: { a: [1, { c: null }] },
  }),
  'campaigns.preview': () => ({ contact: 'ann@mail.test', substitutions: { a: 'b' } }),
  'messages.send': ({ domain }) => ({
    from: { email: `a@${domain}`, name: 'A' },
    recipients: [
      { email: 'ann@mail.test', name: 'Ann', substitutions: { a: 'b', list: [1, { c: null }] } },
      { email: 'bob@mail.test' },
    ],
    subject: 'Grüße {{ a }}',
    text_content: 't {{ a|upper }}',
    html_content: '<p>{% for x in list %}{{ x.c }}{% endfor %}</p>',
    amp_content: '<html amp4email>{{ a }}',
    substitutions: { a: 1 },
    ...sharedFields(),
  }),
  'messages.send-template': ({ domain }) => ({
    template_id: randomUUID(),
    recipients: [{ email: 'ann@mail.test', name: 'Ann', substitutions: { a: 'b' } }],
    from: { email: `a@${domain}`, name: 'A' },
    subject: 's {{ a }}',
    ...sharedFields(),
  }),
  'messages.send-conversation': ({ domain }) => ({
    from: { email: `a@${domain}`, name: 'A' },
    to: [{ email: 'ann@mail.test', name: 'Ann', substitutions: { a: 'b' } }],
    cc: [{ email: 'bob@mail.test' }],
    subject: 's',
    text_content: 't',
    html_content: '<p>t</p>',
    ...sharedFields(),
  }),
};

// Texts that have broken programs: databases, headers, JSON parsers, paths and mail treat them specially.
const NASTY = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\u202e',
  '\ufeff',
  '\r\nX-Evil: 1',
  '\n',
  '\t',
  "'; drop table x;--",
  '%',
  '%00',
  '%2e%2e',
  '../../etc/passwd',
  '..',
  '.',
  '{}',
  '{{7*7}}',
  '${7*7}',
  '<script>',
  '🙂',
  'ﷺ'.repeat(20),
  'e\u0301',
  'null',
  'true',
  'NaN',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  '-1',
  '0',
  '1e309',
  '9'.repeat(40),
  'x'.repeat(300),
  'x'.repeat(5_000),
  '::ffff:0:0/96',
  '0.0.0.0/0',
  '1.2.3.4/33',
  'fe80::1%eth0',
  'a@b@c',
  '"a b"@mail.test',
  'a@[127.0.0.1]',
  'ä@ö.test',
  '2026-02-30T00:00:00Z',
  '0000-00-00',
  'messages:send:{',
  'messages:send:{\u0000.test}',
  '*',
  'http://[::1',
  'http://127.0.0.1:99999/',
  'javascript:x',
] as const;

const text = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);
const number = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 1e308, 2 ** 31, 2 ** 53, 2 ** 63, -(2 ** 63), 31, 256),
  fc.integer(),
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  text,
  number,
  fc.constantFrom(null, true, false, [], {}, [[]], [null], { a: 1 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.array(text, { maxLength: 120 }),
);

/** `{"a":[0, …]}`, as paths to every value of a body. */
function* places(body: unknown, path: (string | number)[] = []): Generator<(string | number)[]> {
  if (path.length > 0) yield path;
  if (typeof body !== 'object' || body === null) return;
  const keys = Array.isArray(body) ? body.keys() : Object.keys(body);
  for (const key of keys) yield* places((body as Record<string | number, unknown>)[key], [...path, key]);
}

function put(body: unknown, [key, ...rest]: readonly (string | number)[], given: unknown): unknown {
  if (key === undefined) return given;
  const copy: Record<string | number, unknown> = Array.isArray(body)
    ? ([...body] as unknown as Record<number, unknown>)
    : { ...(body as object) };
  copy[key] = put(copy[key], rest, given);
  return copy;
}

const changed = (body: Record<string, unknown>) =>
  fc
    .array(fc.tuple(fc.constantFrom(...places(body)), value), { minLength: 0, maxLength: 2 })
    .map((changes) => changes.reduce<unknown>((now, [path, given]) => putSafely(now, path, given), body));

/** An earlier change may have removed the target of the next one. */
function putSafely(body: unknown, path: readonly (string | number)[], given: unknown): unknown {
  try {
    return put(body, path, given);
  } catch {
    return body;
  }
}

const DEEP = 20_000;
const rawBodies = fc.oneof(
  fc.constantFrom(
    '',
    '{',
    '[]',
    'null',
    '"x"',
    '{"a":1}{"b":2}',
    '{"__proto__":{}}',
    '\ufeff{}',
    '{"label":"a","label":"b"}',
    '{"a":1e999}',
  ),
  fc.constantFrom(`${'['.repeat(DEEP)}${']'.repeat(DEEP)}`, `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`),
  fc.json({ maxDepth: 4 }),
);
const bodies = (valid: Record<string, unknown> | undefined): fc.Arbitrary<Buffer> =>
  fc.oneof(
    {
      weight: valid ? 8 : 1,
      arbitrary: (valid ? changed(valid) : fc.constant({})).map((body) =>
        Buffer.from(JSON.stringify(body) ?? ''),
      ),
    },
    { weight: 1, arbitrary: rawBodies.map((given) => Buffer.from(given)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((given) => Buffer.from(given)) },
  );

const encoded = (given: string) => {
  try {
    return encodeURIComponent(given);
  } catch {
    return '%ED%A0%80';
  }
};

interface Accounts {
  own: FullAccount;
  other: FullAccount;
  /** deletions take the last of a kind only, so that resources exist until the end */
  deletes: boolean;
}

function segment(name: string, { own, other, deletes }: Accounts): fc.Arbitrary<string> {
  const mine = (own.ids[name] ?? []).slice(deletes ? -1 : 0);
  const theirs = other.ids[name] ?? [];
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...mine, 'nonsense').map(encoded) },
    { weight: 3, arbitrary: fc.constantFrom(...theirs, 'nonsense').map(encoded) },
    { weight: 2, arbitrary: text.map(encoded) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%', '%zz', '%00', '%2f', '..', '.', ';', '*', '%E0%80%80', '%252e'),
    },
  );
}

function paths(template: string, accounts: Accounts): fc.Arbitrary<string> {
  const { own, other } = accounts;
  const parts = template.split('/').slice(1);
  const arbitraries = parts.map((part): fc.Arbitrary<string> => {
    if (part === '{account_id}') {
      return fc.oneof(
        { weight: 12, arbitrary: fc.constant(own.account.id) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(other.account.id, own.account.id.toUpperCase(), 'nonsense', '%00'),
        },
      );
    }
    return part.startsWith('{') ? segment(part.slice(1, -1), accounts) : fc.constant(part);
  });
  return fc.tuple(...arbitraries).map((given) => `/${given.join('/')}`);
}

const NAMES = [
  'limit',
  'after',
  'before',
  'cursor',
  'dns_valid',
  'sending_type',
  'enabled',
  'on_failed',
  'domain',
  'email',
  'from_time',
  'to_time',
  'account_id',
  'sender_domain',
  'tags',
  'group_by',
  'x',
];
const query = fc
  .array(
    fc.tuple(
      fc.constantFrom(...NAMES),
      fc.oneof(text, fc.constantFrom('1', '2', '100', 'true', 'AAAA', 'x'.repeat(38))),
    ),
    { maxLength: 3 },
  )
  .map((pairs) =>
    pairs.length === 0 ? '' : `?${pairs.map(([name, given]) => `${name}=${encoded(given)}`).join('&')}`,
  );

/**
 * Characters that a header may hold. Node refuses the others before any check of ours; these have tests of their own.
 */
const headerText = text.map((given) => given.replaceAll(/[^\x20-\x7e]/g, '').trim());
const NAMED = [
  'idempotency-key',
  'content-type',
  'accept',
  'x-request-id',
  'x-principal',
  'x-service-token',
  'x-client-ip',
  'x-forwarded-for',
  'x-operator',
  'cookie',
  'if-none-match',
  'if-match',
  'range',
  'origin',
  'accept-encoding',
  'content-encoding',
  'x-http-method-override',
  'te',
];
const headers = (own: FullAccount, other: FullAccount): fc.Arbitrary<[string, string][]> =>
  fc.array(
    fc.oneof(
      fc.tuple(fc.constantFrom(...NAMED), headerText),
      fc.constantFrom<[string, string]>(
        ['idempotency-key', 'the same'],
        ['idempotency-key', 'k'.repeat(256)],
        ['content-type', 'application/json; charset=utf-16'],
        ['content-type', 'text/plain'],
        ['x-http-method-override', 'DELETE'],
        ['x-principal', Buffer.from(JSON.stringify({ account_id: other.account.id })).toString('base64url')],
        ['authorization', `Bearer ${own.key.secret}`],
      ),
    ),
    { maxLength: 2 },
  );

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** Requests of one account that knows the ids of another. */
export function badRequests(own: FullAccount, other: FullAccount): fc.Arbitrary<BadRequest> {
  const operations = Object.entries(OPERATIONS as Record<string, OperationSpec>);
  return fc.constantFrom(...operations).chain(([id, spec]) =>
    fc.record({
      method: fc.oneof(
        { weight: 12, arbitrary: fc.constant(spec.method as string) },
        { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
      ),
      target: fc
        .tuple(paths(spec.path, { own, other, deletes: spec.method === 'DELETE' }), query)
        .map((given) => given.join('')),
      headers: headers(own, other),
      body:
        spec.method === 'GET' || spec.method === 'DELETE'
          ? fc.oneof({ weight: 6, arbitrary: fc.constant(Buffer.alloc(0)) }, bodies(undefined))
          : bodies(BODIES[id]?.(own)),
    }),
  );
}

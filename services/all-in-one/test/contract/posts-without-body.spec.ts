import { beforeAll, describe, expect, it } from 'vitest';
import { newChild } from './families.js';
import { sharedInstallation, unique, uniqueDomain, type Account } from './harness.js';

const postmesh = sharedInstallation();
let parent: Account;
/** the POST operations of the contract without a body */
let posts: Record<string, string>;
beforeAll(async () => {
  parent = await postmesh.newAccount();
  const child = await newChild(postmesh, parent);
  const [own, theirs] = [uniqueDomain(), uniqueDomain()];
  for (const [key, domain] of [
    [parent.key, own],
    [child.key, theirs],
  ] as const) {
    const made = await postmesh.api(key, 'POST', '{A}/domains', { body: { domain } });
    expect(made.status).toBe(201);
  }
  posts = {
    'check-dns': `/domains/${own}/check-dns`,
    unsuspend: `/sub-accounts/${child.id}/unsuspend`,
    unpause: `/sub-accounts/${child.id}/domains/${theirs}/unpause`,
  };
});

const NAMES = ['check-dns', 'unsuspend', 'unpause'];

/** The ways in which clients send no body: fields of the head, and the bytes after it. */
const WAYS: [way: string, fields: readonly string[], content: string][] = [
  ['neither body nor type', [], ''],
  ['a length of 0', ['Content-Length: 0'], ''],
  ['a type and a length of 0', ['Content-Type: application/json', 'Content-Length: 0'], ''],
  ['a type with parameters', ['Content-Type: application/json; charset=utf-8', 'Content-Length: 0'], ''],
  ['a type alone', ['Content-Type: application/json'], ''],
  ['a chunked body of nothing', ['Transfer-Encoding: chunked'], '0\r\n\r\n'],
  [
    'a chunked body of nothing and a type',
    ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
    '0\r\n\r\n',
  ],
  ['{}', ['Content-Type: application/json', 'Content-Length: 2'], '{}'],
  ['{} without a type', ['Content-Length: 2'], '{}'],
];

function post(name: string, fields: readonly string[], content = '') {
  const lines = [
    `POST /v2/accounts/${parent.id}${posts[name]} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${parent.key.secret}`,
    'Connection: close',
    ...fields,
  ];
  return postmesh.raw(lines, content);
}

describe.each(NAMES)('§4.1 POST %s, which takes no body and no Idempotency-Key', (name) => {
  it.each(WAYS)('§1.4 table 415 and §4.1 is served with %s', async (_way, fields, content) => {
    const [plain, keyed] = [
      await post(name, fields, content),
      await post(name, [...fields, `Idempotency-Key: ${unique('key')}`], content),
    ];
    expect([plain.status, plain.bytes.toString()]).toEqual([200, expect.any(String)]);
    expect(keyed.status).toBe(200);
    expect(keyed.headers['idempotent-replayed']).toBeUndefined();
  });

  it('§4.1 ignores the key: used again, with another body, and too long', async () => {
    const key = unique('key');
    for (const [fields, content] of [
      [[`Idempotency-Key: ${key}`], ''],
      [[`Idempotency-Key: ${key}`], ''],
      [[`Idempotency-Key: ${key}`, 'Content-Length: 2'], '{}'],
      [[`Idempotency-Key: ${'k'.repeat(300)}`], ''],
    ] as const) {
      const response = await post(name, fields, content);
      expect(response.status).toBe(200);
      expect(response.headers['idempotent-replayed']).toBeUndefined();
    }
  });
});

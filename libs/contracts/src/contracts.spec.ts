import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ApiError,
  ApiErrors,
  closest,
  failureKind,
  hasAnyOfFamily,
  hasDomainScope,
  hasStaticScope,
  newId,
  normaliseDomain,
  ALL_OPERATIONS,
  CONSOLE_OPERATIONS,
  OPERATIONS,
  parseBody,
  Permanent,
  Poison,
  scopedDomains,
  Transient,
  Uuid,
} from './index.js';

describe('ids', () => {
  it('are UUIDv7, ascend, and never repeat', () => {
    const ids = Array.from({ length: 10_000 }, () => newId());
    expect(
      ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
    ).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });

  it('accept any textual UUID, letter case ignored', () => {
    expect(Uuid.parse('01980F3E-5B7A-7C11-A2D4-0C5F9E6B8A01')).toBe('01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01');
    expect(Uuid.safeParse('01980f3e5b7a7c11a2d40c5f9e6b8a01').success).toBe(false);
  });
});

describe('failures', () => {
  it.each([
    [new Permanent('x'), 'permanent'],
    [new Transient('x'), 'transient'],
    [new Poison('x'), 'poison'],
    [new TypeError('x'), 'bug'],
    ['text', 'bug'],
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'transient'],
    [Object.assign(new Error('connect ENOENT /db/.s.PGSQL.5432'), { code: 'ENOENT' }), 'transient'],
    [Object.assign(new Error('no such file'), { code: 'ENOENT' }), 'bug'],
    [Object.assign(new Error('connect EAGAIN /db/.s.PGSQL.5432'), { code: 'EAGAIN' }), 'transient'],
    [Object.assign(new Error('connect EHOSTUNREACH 192.0.2.1:5432'), { code: 'EHOSTUNREACH' }), 'transient'],
    [Object.assign(new Error('x'), { code: '40P01' }), 'transient'],
    [Object.assign(new Error('x'), { code: '57P01' }), 'transient'],
    [Object.assign(new Error('x'), { code: '55P03' }), 'transient'],
    [Object.assign(new Error('x'), { code: '23505' }), 'bug'],
    [Object.assign(new Error('x'), { code: '53100' }), 'transient'],
    [Object.assign(new Error('no space left on device, write'), { code: 'ENOSPC' }), 'transient'],
    [Object.assign(new Error('could not read blocks 3..3 in file'), { code: '58030' }), 'transient'],
    [Object.assign(new Error('i/o error, write'), { code: 'EIO' }), 'transient'],
    [new Error('Query runner already released. Cannot run queries anymore.'), 'transient'],
    [
      new Error('Database connection provided by a query runner was already released, cannot continue'),
      'transient',
    ],
    [Object.assign(new Error('x'), { driverError: { code: '08006' } }), 'transient'],
  ] as const)('%s is %s', (error, kind) => {
    expect(failureKind(error)).toBe(kind);
  });
});

describe('scopes (spec 1-platform §2.4)', () => {
  const holder = (...scopes: string[]) => ({ scopes });

  it('grant by wildcard, exact match, family and domain', () => {
    expect(hasStaticScope(holder('*'), 'domains:read')).toBe(true);
    expect(hasStaticScope(holder('domains:read'), 'domains:write')).toBe(false);
    expect(hasDomainScope(holder('messages:send:all'), 'messages:send', 'a.test')).toBe(true);
    expect(hasDomainScope(holder('messages:send:{a.test}'), 'messages:send', 'a.test')).toBe(true);
    expect(hasAnyOfFamily(holder('messages:send:{a.test}'), 'messages:send')).toBe(true);
    expect(hasAnyOfFamily(holder('messages:read:all'), 'messages:send')).toBe(false);
    expect(
      scopedDomains(holder('messages:send:{a.test}', 'messages:read:{b.test}'), 'messages:send'),
    ).toEqual(['a.test']);
  });

  it.each([
    [['a.test'], 'messages:send:all messages:send:{a.test}'],
    [undefined, 'messages:send:all messages:send:{domain}'],
    [[], 'messages:send:all'],
    // only domain names get into a header
    [['b"\r\nx: y', 'ü.test'], 'messages:send:all'],
  ])('an error for the domains %j names the scopes %s', (domains, scopes) => {
    const { status, headers } = ApiErrors.missingDomainScope('messages:send', domains);
    expect([status, headers]).toEqual([
      403,
      { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scopes}"` },
    ]);
  });

  it('of a domain do not cover its subdomains', () => {
    expect(hasDomainScope(holder('messages:send:{a.test}'), 'messages:send', 'mail.a.test')).toBe(false);
  });
});

describe('typing errors', () => {
  it.each([
    ['recipents', 'recipients'],
    ['Subject', 'subject'],
    ['to', undefined],
    ['x', undefined],
    ['y'.repeat(10_000), undefined],
  ])('%s was meant to be %s', (word, meant) => {
    expect(closest(word, ['subject', 'recipients', 'from', 'tags'])).toBe(meant);
  });

  it('the error of an unknown field suggests the closest known one', () => {
    const Body = z.object({ recipients: z.array(z.string()).optional(), id: Uuid.optional() });
    const said = (body: object) => {
      try {
        return parseBody(Body, body);
      } catch (error) {
        return (error as ApiError).message;
      }
    };
    expect(said({ recipents: [] })).toBe('unknown field: recipents (did you mean recipients?)');
    expect(said({ cc: [] })).toBe('unknown field: cc');
    expect(said({ id: 'x' })).toBe('id is invalid (a UUID such as 01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01)');
  });
});

describe('domain names (spec 1-platform §1.2)', () => {
  it.each([
    [' Shop.TEST. ', 'shop.test'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['a.b', 'a.b'],
    ['shop', undefined],
    ['-a.test', undefined],
    ['a..test', undefined],
    ['a_b.test', undefined],
    ['127.0.0.1', undefined],
    ['1.2.3a', '1.2.3a'],
    ['a.1', undefined],
    ['a-.test', undefined],
    [`${'a'.repeat(63)}.test`, `${'a'.repeat(63)}.test`],
    ['a.test/x', undefined],
    ['a b.test', undefined],
    [`${'a'.repeat(64)}.test`, undefined],
    [`${'a.'.repeat(130)}test`, undefined],
    ['a.test\r\nx', undefined],
  ])('%j is %j', (text, expected) => {
    expect(normaliseDomain(text)).toBe(expected);
  });
});

describe('bodies (spec 1-platform §1.4)', () => {
  const Schema = z.strictObject({
    name: z.string().min(1).max(5),
    kind: z.enum(['a', 'b']).optional(),
    many: z
      .array(z.strictObject({ id: z.number().int() }))
      .max(2)
      .optional(),
  });

  it.each([
    [null, 'invalid request body'],
    [[], 'invalid request body'],
    ['text', 'invalid request body'],
    [{ name: 'x', other: 1 }, 'unknown field: other'],
    [{ ['y'.repeat(20_000)]: 1 }, `unknown field: ${'y'.repeat(100)}…`],
    [{ name: 'x', id: 1 }, 'id is not writable'],
    [{}, 'name is required'],
    [{ name: 5 }, 'name must be a string'],
    [{ name: '' }, 'name must not be empty'],
    [{ name: 'abcdef' }, 'name must be at most 5 characters'],
    [{ name: 'x', kind: 'c' }, 'kind must be one of: a, b'],
    [{ name: 'x', many: 1 }, 'many must be an array'],
    [{ name: 'x', many: [{ id: 1.5 }] }, 'many[0].id must be an integer'],
    [{ name: 'x', many: [{ id: 1, x: 1 }] }, 'unknown field: many[0].x'],
    [{ name: 'x', many: [{ id: 1 }, { id: 2 }, { id: 3 }] }, 'many must have at most 2 items'],
    // several wrong fields: the first in the order of the table
    [{ many: 1, name: 5 }, 'name must be a string'],
  ])('%j is refused with %j', (body, message) => {
    let error: unknown;
    try {
      parseBody(Schema, body, { readOnly: ['id'] });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400, message });
  });

  describe('with fields that another operation takes', () => {
    const rules = { refused: { second: 'second goes elsewhere', first: 'first goes elsewhere' } };

    it.each([
      [{ first: '', second: false, x: 1 }, 'second goes elsewhere'],
      [{ x: 1, first: [] }, 'first goes elsewhere'],
      [{ first: null, name: 5 }, 'name must be a string'],
    ])('%j is refused with %j before everything else', (body, message) =>
      expect(() => parseBody(Schema, body, rules)).toThrow(message),
    );

    it('takes their null for an absent field', () => {
      const given = { name: 'x', first: null, second: null };
      expect(parseBody(Schema, given, rules)).toEqual(parseBody(Schema, { name: 'x' }));
    });
  });
});

describe('operations', () => {
  it('have distinct methods and paths below /v2', () => {
    const lines = Object.values(OPERATIONS).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines.every((line) => /^(GET|POST|PUT|DELETE) \/v2\//.test(line))).toBe(true);
  });

  it('of the console are below its own path', () => {
    expect(Object.values(CONSOLE_OPERATIONS).every(({ path }) => path.startsWith('/console/api/'))).toBe(
      true,
    );
    expect(Object.keys(ALL_OPERATIONS)).toHaveLength(
      Object.keys(OPERATIONS).length + Object.keys(CONSOLE_OPERATIONS).length,
    );
  });
});

import {
  BooleanParameter,
  listOf,
  MessageResponse,
  operationSpec,
  pageOf,
  type OperationSpec,
  type ServiceDocument,
} from '@postmesh/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildApiDocument } from './build-api-document.js';
import type { Response } from './open-api.js';

const A = '/v2/accounts/{account_id}';
const spec = (
  method: OperationSpec['method'],
  path: string,
  more: Partial<OperationSpec> = {},
): OperationSpec => ({
  ...operationSpec('ping'),
  method,
  path,
  scope: { kind: 'family', family: 'webhooks:read' },
  ...more,
});

const OPERATIONS: Record<string, OperationSpec> = {
  ping: spec('GET', '/v2/ping', { scope: { kind: 'none' } }),
  'webhooks.list': spec('GET', `${A}/webhooks`),
  'webhooks.create': spec('POST', `${A}/webhooks`, {
    scope: { kind: 'static', scopes: ['domains:read', 'domains:write'] },
    idempotent: 'standard',
  }),
  'webhooks.get': spec('GET', `${A}/webhooks/{webhook_id}`),
  'api-keys.create': spec('POST', `${A}/api-keys`, { idempotent: 'secret', rate: 'statistics' }),
  'messages.get': spec('GET', `${A}/messages/{message_id}`, { scope: { kind: 'handler' } }),
};

const Part = z.object({ size: z.number().int().min(0) }).meta({ id: 'TestPart' });
const Thing = z
  .object({
    id: z.uuid(),
    at: z.iso.datetime().nullable(),
    kind: z.enum(['a', 'b']).nullable(),
    parts: z.array(Part),
  })
  .meta({ id: 'TestThing' });
const Body = z.object({
  name: z.string().min(1).meta({ maxLength: 255, description: 'How it is called.' }),
  note: z.string().nullish(),
  part: z.strictObject({ size: z.number() }).nullish(),
});
const says = (schema: z.ZodType, status: 200 | 201 = 200) => ({ status, description: 'Done.', schema });

const DOCUMENTS: Record<string, ServiceDocument[keyof ServiceDocument]> = {
  ping: { summary: 'Ping', response: { ...says(MessageResponse), example: { message: 'pong' } } },
  'webhooks.list': {
    summary: 'List',
    query: z.object({
      enabled: BooleanParameter.optional().meta({ description: 'Only these.' }),
      kind: z.string(),
    }),
    paginated: true,
    response: says(pageOf(Thing)),
  },
  'webhooks.create': {
    summary: 'Create',
    description: 'Makes one.',
    body: Body,
    example: { name: 'x' },
    response: says(Thing, 201),
    apiErrors: [
      { status: 409, when: '`it exists`' },
      { status: 403, when: '`too many`' },
    ],
  },
  'webhooks.get': { summary: 'Get', response: says(Thing) },
  'api-keys.create': { summary: 'Key', body: Body, bodyOptional: true, response: says(Thing, 201) },
  'messages.get': { summary: 'Message', scopeFamily: 'messages:read', response: says(listOf(Thing)) },
};

const build = () => buildApiDocument(OPERATIONS, [DOCUMENTS as ServiceDocument]);
const document = build();
const operation = (path: string, method = 'get') => {
  const found = document.paths[path]?.[method];
  if (!found) throw new Error(`the document has no ${method} ${path}`);
  return found;
};
/** The response as the document holds it: a response object or a reference to one. */
const response = (path: string, method: string, status: number): Record<string, unknown> => ({
  ...operation(path, method).responses[status],
});

describe('the document', () => {
  it('is the same for the same input, byte for byte', () => {
    expect(JSON.stringify(build())).toBe(JSON.stringify(document));
  });

  it('is refused while no service describes an operation', () => {
    const { ping: _ping, ...rest } = DOCUMENTS;
    expect(() => buildApiDocument(OPERATIONS, [rest as ServiceDocument])).toThrow('describes ping');
  });

  it('is refused when two schemas have one name', () => {
    const other = { ...DOCUMENTS['ping'], response: says(z.object({}).meta({ id: 'TestThing' })) };
    expect(() => buildApiDocument(OPERATIONS, [{ ...DOCUMENTS, ping: other } as ServiceDocument])).toThrow(
      'two schemas are called TestThing',
    );
  });

  it('is refused for a family without a tag', () => {
    const operations = { 'nothing.get': spec('GET', '/v2/nothing') };
    const documents = { 'nothing.get': DOCUMENTS['ping'] } as ServiceDocument;
    expect(() => buildApiDocument(operations, [documents])).toThrow('nothing.get has no tag');
  });
});

describe('who may call', () => {
  it.each([
    ['/v2/ping', 'get', [{ bearer: [] }], 'no scope is needed'],
    [
      `${A}/webhooks`,
      'post',
      [{ bearer: ['domains:read', 'domains:write'] }],
      'Needs the scopes `domains:read` and `domains:write`.',
    ],
    [
      `${A}/webhooks`,
      'get',
      [{ bearer: ['webhooks:read:all'] }, { bearer: ['webhooks:read:{domain}'] }],
      '`webhooks:read:all`, or `webhooks:read:{domain}`',
    ],
    [
      `${A}/messages/{message_id}`,
      'get',
      [{ bearer: ['messages:read:all'] }, { bearer: ['messages:read:{domain}'] }],
      '`messages:read:all`',
    ],
  ])('%s %s is said twice: for programs and in words', (path, method, security, words) => {
    expect(operation(path, method).security).toEqual(security);
    expect(operation(path, method).description).toContain(words);
  });
});

describe('parameters', () => {
  it('of paths are ids, but for those that are more', () => {
    const { parameters } = document.components;
    expect(operation(`${A}/webhooks/{webhook_id}`).parameters).toEqual([
      { $ref: '#/components/parameters/account_id' },
      { $ref: '#/components/parameters/webhook_id' },
    ]);
    expect(parameters['webhook_id']).toMatchObject({
      in: 'path',
      required: true,
      description: 'Id of the webhook.',
      schema: { type: 'string', format: 'uuid' },
    });
    expect(parameters['message_id']?.schema).not.toHaveProperty('format');
  });

  it('of lists are filters and the three of pagination', () => {
    const { parameters } = operation(`${A}/webhooks`);
    expect(parameters.slice(1, 3)).toEqual([
      {
        name: 'enabled',
        in: 'query',
        required: false,
        description: 'Only these.',
        schema: { type: 'boolean' },
      },
      { name: 'kind', in: 'query', required: true, description: '', schema: { type: 'string' } },
    ]);
    expect(parameters.slice(3)).toEqual(
      ['limit', 'after', 'before'].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    );
    expect(document.components.parameters['limit']?.schema).toMatchObject({
      minimum: 1,
      maximum: 100,
      default: 100,
    });
  });

  it('name the idempotency key where it is honoured', () => {
    const key = { $ref: '#/components/parameters/Idempotency-Key' };
    expect(operation(`${A}/webhooks`, 'post').parameters).toContainEqual(key);
    expect(operation(`${A}/webhooks`).parameters).not.toContainEqual(key);
    expect(document.components.parameters['Idempotency-Key']?.schema).toEqual({
      type: 'string',
      maxLength: 255,
    });
    expect(operation(`${A}/webhooks`, 'post').description).toContain('24 hours');
    expect(operation(`${A}/api-keys`, 'post').description).toContain('5 minutes');
  });
});

describe('calls to URLs of customers', () => {
  it('are webhooks of the document, with the headers of the signature and no key of ours', () => {
    const body = z.object({ type: z.literal('thing.made') }).meta({ id: 'ThingMadeEvent' });
    const call = {
      family: 'webhooks',
      summary: 'Made',
      description: 'It was.',
      body,
      example: { type: 'thing.made' },
    };
    const { webhooks, components } = buildApiDocument(OPERATIONS, [DOCUMENTS as ServiceDocument], {
      'thing.made': call,
    });
    const post = webhooks['thing.made']!.post;
    expect(post).toMatchObject({ operationId: 'calls.thing.made', tags: ['Webhooks'], security: [] });
    expect(post.description).toMatch(/^It was\.\n\n.*HMAC-SHA-256/s);
    expect(post.parameters.map((parameter) => Object.values(parameter)[0])).toEqual(
      ['id', 'timestamp', 'signature'].map((name) => `#/components/parameters/webhook-${name}`),
    );
    expect(post.requestBody.content['application/json']).toEqual({
      schema: { $ref: '#/components/schemas/ThingMadeEvent' },
      example: { type: 'thing.made' },
    });
    expect(Object.keys(components.schemas)).toContain('ThingMadeEvent');
  });
});

describe('bodies', () => {
  it('are components named after their operation, closed, with limits and null where it is allowed', () => {
    expect(operation(`${A}/webhooks`, 'post').requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/WebhooksCreateBody' },
          example: { name: 'x' },
        },
      },
    });
    expect(document.components.schemas['WebhooksCreateBody']).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 255, description: 'How it is called.' },
        note: { type: ['string', 'null'] },
        part: {
          type: ['object', 'null'],
          properties: { size: { type: 'number' } },
          required: ['size'],
          additionalProperties: false,
        },
      },
      required: ['name'],
      additionalProperties: false,
    });
  });

  it('may be left out where the operation says so', () => {
    expect(operation(`${A}/api-keys`, 'post').requestBody?.required).toBe(false);
  });
});

describe('answers', () => {
  it('are open components, which clients expect to grow', () => {
    expect(document.components.schemas['TestThing']).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string', format: 'uuid' },
        at: { type: ['string', 'null'], format: 'date-time' },
        kind: { type: ['string', 'null'], enum: ['a', 'b', null] },
        parts: { type: 'array', items: { $ref: '#/components/schemas/TestPart' } },
      },
      required: ['id', 'at', 'kind', 'parts'],
    });
  });

  it.each([
    ['/v2/ping', 'get', '200 401 403 429 500 503'],
    [`${A}/webhooks`, 'get', '200 400 401 403 429 500 503'],
    [`${A}/webhooks`, 'post', '201 400 401 403 408 409 413 415 422 429 500 503'],
    [`${A}/webhooks/{webhook_id}`, 'get', '200 400 401 403 404 429 500 503'],
  ])('of %s %s are %s', (path, method, statuses) => {
    expect(Object.keys(operation(path, method).responses).join(' ')).toBe(statuses);
  });

  it('give the reasons of the operation after those of all', () => {
    expect(response(`${A}/webhooks`, 'post', 403)['description']).toMatch(
      /lacks the scope.*\n- `too many`$/s,
    );
    expect(response(`${A}/webhooks`, 'post', 409)['description']).toBe(
      '- `it exists`\n- `A request with this idempotency key is already in progress`',
    );
    expect(response('/v2/ping', 'get', 403)['description']).not.toContain('scope');
  });

  it('are named by their status, and each has an example', () => {
    expect(response(`${A}/webhooks`, 'post', 409)['$ref']).toBe('#/components/responses/ConflictReplayable');
    for (const [name, { content }] of Object.entries(document.components.responses))
      expect([name, content['application/json'].example]).toEqual([name, { message: expect.any(String) }]);
    const success = response(`${A}/webhooks`, 'get', 200) as unknown as Response;
    expect(success.content['application/json']).toMatchObject({
      schema: { $ref: '#/components/schemas/TestThingPage' },
      example: { object: 'list', data: [{ id: expect.any(String) }], pagination: { has_more: false } },
    });
  });

  it('are shared where the operation has nothing to add', () => {
    expect(response(`${A}/webhooks`, 'get', 401)).toEqual({ $ref: '#/components/responses/Unauthorized' });
    expect(response(`${A}/webhooks`, 'post', 400)).toEqual({
      $ref: '#/components/responses/BadRequestReplayable',
    });
  });

  it('carry the request id, and say when they are replayed or when to come again', () => {
    const headers = (path: string, method: string, status: number) => {
      const { $ref, headers: own } = response(path, method, status);
      const shared = document.components.responses[String($ref).slice('#/components/responses/'.length)];
      return Object.keys(shared?.headers ?? own ?? {});
    };
    expect(headers(`${A}/webhooks`, 'get', 200)).toEqual(['x-request-id']);
    expect(headers(`${A}/webhooks`, 'post', 201)).toEqual(['x-request-id', 'Idempotent-Replayed']);
    expect(headers(`${A}/webhooks`, 'post', 409)).toEqual([
      'x-request-id',
      'Idempotent-Replayed',
      'Retry-After',
    ]);
    const { responses } = document.components;
    expect(Object.keys(responses['TooManyRequests']?.headers ?? {})).toEqual(['x-request-id', 'Retry-After']);
    for (const shared of Object.values(responses)) expect(shared.headers).toHaveProperty('x-request-id');
    expect(document.components.headers['x-request-id']?.required).toBe(true);
  });

  it('of a refused create of a key are not replayed', () => {
    expect(response(`${A}/api-keys`, 'post', 400)).toEqual({ $ref: '#/components/responses/BadRequest' });
    expect(response(`${A}/api-keys`, 'post', 409)).toMatchObject({
      $ref: '#/components/responses/ConflictReplayable',
    });
  });
});

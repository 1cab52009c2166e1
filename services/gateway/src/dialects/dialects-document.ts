import { API_VERSION } from '../openapi/build-api-document.js';
import type { JsonSchema } from '../openapi/open-api.js';
import type { Dialect, DialectRoute } from './dialect.js';
import { DIALECT_TABLE } from './dialects.table.js';
import { FieldError, type FieldTable } from './fields.js';

type Field = FieldTable[string];
type Accepts = NonNullable<DialectRoute['accepts']>;

/** Values of each type, of which a reader that takes the type accepts one. */
const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  string: ['text', 'ann@mail.test', '2026-01-31T12:00:00Z', 'yes', 'None', 'text/plain', 'ATTACHMENT', '{}'],
  boolean: [true],
  integer: [1],
  array: [[], ['text'], ['ann@mail.test'], [1]],
  object: [{}],
};

function isRead({ read }: { read: (value: unknown, name: string) => unknown }, value: unknown): boolean {
  try {
    read(value, 'x');
    return true;
  } catch (error) {
    if (error instanceof FieldError) return false;
    throw error;
  }
}

/** The types of a field are those that its reader takes: the document cannot say anything else. */
function schemaOf(field: Field, accepts: Accepts, name: string): JsonSchema {
  if (!('read' in field)) {
    const { refused, except } = field;
    // null is the same as a field that is left out
    return {
      ...(accepts === 'form' ? { not: {} } : { type: 'null' }),
      description: describe(refused, except),
    };
  }
  const described = { description: field.to };
  if (field.fields) {
    const inner = objectOf(field.fields, accepts);
    const whole = field.isList ? { type: ['array', 'null'], items: inner } : nullable(inner);
    return { ...whole, ...described };
  }
  if (accepts === 'form') return { type: 'string', ...described };
  const types = Object.entries(SAMPLES).filter(([, values]) => values.some((value) => isRead(field, value)));
  if (types.length === 0) throw new Error(`no sample is a value of the field ${name} of a dialect`);
  return { type: [...types.map(([type]) => type), ...(field.required ? [] : ['null'])], ...described };
}

const describe = (refused: string, except?: { readonly text: string }): string =>
  `Refused${except ? `, unless ${except.text}` : ''}: ${refused}.`;

const nullable = (schema: JsonSchema): JsonSchema => ({ ...schema, type: ['object', 'null'] });

/** A refused field of which some values are taken: these are described in words. */
const isLenient = (field: Field): boolean => !('read' in field) && field.except !== undefined;

function objectOf(table: FieldTable, accepts: Accepts): JsonSchema {
  const entries = Object.entries(table).map(([name, field]) => {
    const schema = schemaOf(field, accepts, name);
    return [name, isLenient(field) ? { 'x-lenient': true, ...schema } : schema] as const;
  });
  const isPattern = ([name]: readonly [string, unknown]) => name.endsWith('*');
  const patterns = entries.filter(isPattern).map(([name, schema]) => [`^${name.slice(0, -1)}.`, schema]);
  const required = Object.entries(table).filter(([, field]) => 'required' in field && field.required);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.filter((entry) => !isPattern(entry))),
    ...(patterns.length > 0 && { patternProperties: Object.fromEntries(patterns) }),
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
    additionalProperties: false,
  };
}

function bodyOf({ fields, accepts = 'json', list }: DialectRoute): object {
  if (!fields) return {};
  const one = objectOf(fields, accepts);
  const items = list?.isEachAlone
    ? { type: 'array', items: { 'x-lenient': true, ...one } }
    : { type: 'array', minItems: 1, items: one };
  const named = (name: string) => ({
    type: 'object',
    properties: { [name]: items },
    required: [name],
    additionalProperties: false,
  });
  const schema = list ? (list.at === undefined ? items : named(list.at)) : one;
  const types =
    accepts === 'json' ? ['application/json'] : ['multipart/form-data', 'application/x-www-form-urlencoded'];
  return {
    requestBody: {
      required: true,
      content: Object.fromEntries(types.map((type) => [type, { schema }])),
    },
  };
}

function parametersOf({ path, query = {} }: DialectRoute): object[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: `${name.replaceAll('_', ' ')}, as in the path of the service.`,
    schema: { type: 'string', minLength: 1 },
  }));
  const inQuery = Object.entries(query).flatMap(([name, field]) =>
    'read' in field || field.except
      ? [
          {
            name,
            in: 'query',
            required: false,
            description: 'read' in field ? field.to : describe(field.refused, field.except),
            schema: { type: 'string' },
          },
        ]
      : [],
  );
  return [...inPath, ...inQuery];
}

const STATUSES = [400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 500, 502, 503];
const WITH_ID = { 'x-request-id': { $ref: '#/components/headers/X-Request-Id' } };
const SUCCESSES = { POST: [200, 201, 202], GET: [200], PATCH: [200], DELETE: [200, 204] } as const;

function responsesOf({ name, plainErrors = [] }: Dialect, { method }: DialectRoute): object {
  const error = (status: number) => `${name}.${plainErrors.includes(status) ? 'plain-error' : 'error'}`;
  return Object.fromEntries([
    ...SUCCESSES[method].map((status) => [status, { $ref: '#/components/responses/success' }]),
    ...STATUSES.map((status) => [status, { $ref: `#/components/responses/${error(status)}` }]),
  ]);
}

function errorsOf({ name, title, errorSchema, plainErrors = [] }: Dialect): [string, object][] {
  const described = { description: `An error in the form of ${title}.`, headers: WITH_ID };
  const content = { 'application/json': { schema: errorSchema } };
  const plain = { 'text/plain': { schema: { type: 'string' } } };
  return [
    [`${name}.error`, { ...described, content }],
    ...(plainErrors.length > 0
      ? [[`${name}.plain-error`, { ...described, content: plain }] satisfies [string, object]]
      : []),
  ];
}

function operationOf(dialect: Dialect, id: string, route: DialectRoute): object {
  return {
    operationId: `${dialect.name}.${id}`,
    tags: [dialect.name],
    summary: route.what,
    description: `Becomes ${route.becomes}.`,
    security: [{ [dialect.name]: [] }],
    parameters: parametersOf(route),
    ...bodyOf(route),
    responses: responsesOf(dialect, route),
  };
}

/** docs/dialects-openapi.json: all that the dialects take, for the fuzzer and for tools. */
export function dialectsDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const dialect of DIALECT_TABLE) {
    for (const [id, route] of Object.entries(dialect.routes))
      (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(dialect, id, route);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Dialects of Postmesh',
      version: API_VERSION,
      summary: 'The APIs of other services, as far as Postmesh speaks them.',
      description: 'Made of the tables of the dialects. The meaning of each field is in dialects.md.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'An installation with POSTMESH_DIALECTS.' }],
    tags: DIALECT_TABLE.map(({ name, title }) => ({ name, description: `${title}.` })),
    paths,
    components: {
      securitySchemes: Object.fromEntries(DIALECT_TABLE.map(({ name, security }) => [name, security])),
      headers: {
        'X-Request-Id': { description: 'Of this request.', required: true, schema: { type: 'string' } },
      },
      responses: {
        success: { description: 'As the service responds.', headers: WITH_ID },
        ...Object.fromEntries(DIALECT_TABLE.flatMap(errorsOf)),
      },
      schemas: {},
    },
  };
}

import { CONSOLE_OPERATIONS, OPERATIONS, type OperationSpec } from '@postmesh/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { readApiDocument } from './open-api.js';

const document = readApiDocument();
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

/** Every object of the document with its JSON pointer. */
function* objects(value: unknown, at = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Record<string, unknown>];
  for (const [key, child] of Object.entries(value)) yield* objects(child, `${at}/${key}`);
}

function find(reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
}

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
addFormats.default(ajv);
// ajv-formats lacks these two formats; the services' own rules check such values
for (const format of ['idn-hostname', 'idn-email']) ajv.addFormat(format, true);
ajv.addVocabulary(['example', 'x-lenient']);
const inOne = (schema: object) =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"document#/$defs/'));
ajv.addSchema({ $id: 'document', $defs: inOne(document.components.schemas) });
const compile = (schema: object) => ajv.compile(inOne(schema));

function securityOf({ scope }: OperationSpec): { session: readonly string[] }[] {
  if (scope.kind === 'anonymous') return [];
  if (scope.kind === 'static') return [{ session: scope.scopes }];
  if (scope.kind !== 'family') return [{ session: [] }];
  return [{ session: [`${scope.family}:all`] }, { session: [`${scope.family}:{domain}`] }];
}

it('of the console describes every operation that it has in addition, with the session or without a caller', () => {
  const { paths } = readApiDocument(undefined, 'console');
  const described = Object.values(paths).flatMap((path) => Object.values(path));
  expect(described.map(({ operationId }) => operationId).sort()).toEqual(
    Object.keys(CONSOLE_OPERATIONS).sort(),
  );
  for (const [id, spec] of Object.entries(CONSOLE_OPERATIONS as Record<string, OperationSpec>)) {
    const operation = paths[spec.path]?.[spec.method.toLowerCase()];
    expect(operation?.security, id).toEqual(securityOf(spec));
  }
});

describe('the committed document', () => {
  it('describes every operation that is served, and no other', () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(OPERATIONS).sort());
  });

  it.each(Object.entries(OPERATIONS))('has %s at its path and method', (id, spec) => {
    expect(document.paths[spec.path]?.[spec.method.toLowerCase()]?.operationId).toBe(id);
  });

  it('takes an address where it takes the id of a contact', () => {
    expect(document.components.parameters['id_or_email']?.schema).toEqual({ type: 'string', minLength: 1 });
  });

  it('has no reference that leads nowhere', () => {
    const references = [...objects(document)].flatMap(([at, { $ref }]) => ($ref ? [[at, String($ref)]] : []));
    expect(references.length).toBeGreaterThan(50);
    for (const [at, reference] of references)
      expect(find(reference ?? ''), `${reference} at ${at}`).toBeDefined();
  });

  it.each(Object.keys(document.components.schemas))(
    'has a JSON Schema of the dialect 2020-12: %s',
    (name) => {
      expect(() => compile({ $ref: `#/components/schemas/${name}` })).not.toThrow();
    },
  );

  it('has schemas of that dialect in all other places, and examples that keep to them', () => {
    let examples = 0;
    for (const [at, { schema, example }] of objects(document)) {
      if (typeof schema !== 'object' || schema === null || at.includes('/properties/')) continue;
      const validate = compile(schema);
      if (example === undefined) continue;
      examples += 1;
      expect(validate(example), `${at}: ${JSON.stringify(validate.errors)}`).toBe(true);
    }
    // of each operation and of each error
    expect(examples).toBeGreaterThan(operations.length + Object.keys(document.components.responses).length);
  });

  it('names the schema of every response, and has an example of each', () => {
    const { responses } = document.components;
    for (const response of [
      ...operations.flatMap((one) => Object.values(one.responses)),
      ...Object.values(responses),
    ]) {
      if ('$ref' in response) continue;
      const { schema, example } = response.content['application/json'];
      expect([schema['$ref'], example]).toEqual([expect.any(String), expect.anything()]);
    }
  });

  it('describes the eleven calls to URLs of customers', () => {
    expect(Object.keys(document.webhooks)).toHaveLength(11);
  });

  it('has a summary for every operation and a type for every field of a body', () => {
    for (const { summary, description } of operations) {
      expect(summary).toMatch(/^[A-Z].*[^.]$/);
      expect(description).not.toBe('');
    }
  });

  it('shows secrets in no answer but those of the creates that hand them out', () => {
    const telling = Object.entries(document.components.schemas).filter(([, schema]) =>
      Object.keys(schema['properties'] ?? {}).some((name) => /^secret|password/.test(name)),
    );
    expect(telling.map(([name]) => name).sort()).toEqual([
      'CreatedApiKey',
      'NewRoute',
      'NewSmtpCredential',
      'NewWebhook',
    ]);
  });
});

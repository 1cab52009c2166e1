import type { OperationDocument, OperationSpec, ServiceDocument } from '@postmesh/contracts';
import { INTRODUCTION } from './introduction.js';
import type { ApiDocument, ApiOperation, RequestBody } from './open-api.js';
import { Parameters } from './parameters.js';
import { HEADERS, Responses } from './responses.js';
import { SchemaComponents } from './schema-components.js';
import { BEARER, scopeWords, securityOf } from './security.rules.js';
import { tagOf, tagsOf } from './tags.js';

type Operations = Readonly<Record<string, OperationSpec>>;
type Documents = Readonly<Record<string, OperationDocument>>;

interface Parts {
  schemas: SchemaComponents;
  parameters: Parameters;
  responses: Responses;
}

/** The version of the API (spec 0-interface §9). */
const API_VERSION = '2.0.0';

/**
 * One OpenAPI 3.1 document of the operations, the same for the same input, key by key.
 * @param operations paths, scopes and idempotency by operation id
 * @param services what each service says about its operations
 * @throws Error that names the operations about which no service says anything, or what it cannot describe
 */
export function buildApiDocument(operations: Operations, services: readonly ServiceDocument[]): ApiDocument {
  const documents: Documents = Object.assign({}, ...services);
  const missing = Object.keys(operations).filter((id) => !Object.hasOwn(documents, id));
  if (missing.length > 0) throw new Error(`no api-document.ts describes ${missing.join(', ')}`);
  const schemas = new SchemaComponents();
  const parts = { schemas, parameters: new Parameters(schemas), responses: new Responses(schemas) };
  const paths = pathsOf(operations, documents, parts);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Postmesh API',
      version: API_VERSION,
      summary: 'Send email, and know what became of it.',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'Where this document was found.' }],
    tags: tagsOf(Object.keys(operations)),
    paths,
    components: {
      securitySchemes: {
        [BEARER]: { type: 'http', scheme: 'bearer', description: 'An API key of the account.' },
      },
      parameters: parts.parameters.all(),
      headers: HEADERS,
      responses: parts.responses.all(),
      schemas: schemas.all(),
    },
  };
}

function pathsOf(operations: Operations, documents: Documents, parts: Parts): ApiDocument['paths'] {
  const paths: Record<string, Record<string, ApiOperation>> = {};
  for (const [id, spec] of Object.entries(operations)) {
    const document = documents[id];
    if (!document) continue;
    (paths[spec.path] ??= {})[spec.method.toLowerCase()] = operationOf({ id, spec, document }, parts);
  }
  return paths;
}

interface Described {
  id: string;
  spec: OperationSpec;
  document: OperationDocument;
}

function operationOf(
  { id, spec, document }: Described,
  { schemas, parameters, responses }: Parts,
): ApiOperation {
  return {
    operationId: id,
    tags: [tagOf(id)],
    summary: document.summary,
    description: descriptionOf(spec, document),
    security: securityOf(spec, document),
    parameters: parameters.of(spec, document),
    ...(document.body ? { requestBody: bodyOf(id, document, schemas) } : {}),
    responses: responses.of(spec, document),
  };
}

function bodyOf(id: string, document: OperationDocument, schemas: SchemaComponents): RequestBody {
  const { body, bodyOptional = false, example } = document;
  if (!body) throw new Error(`${id} has no body`);
  const schema = schemas.addBody(bodyName(id), body);
  const content = { schema, ...(example === undefined ? {} : { example }) };
  return { required: !bodyOptional, content: { 'application/json': content } };
}

/** `domains.check-dns` takes a `DomainsCheckDnsBody`. */
function bodyName(id: string): string {
  const words = id.split(/[.-]/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return `${words.join('')}Body`;
}

function descriptionOf(spec: OperationSpec, document: OperationDocument): string {
  const paragraphs = [
    document.description?.trim(),
    scopeWords(spec, document),
    RETRY[String(spec.idempotent)],
  ];
  if (spec.rate === 'statistics') paragraphs.push(STATISTICS);
  return paragraphs.filter(Boolean).join('\n\n');
}

const RETRY: Readonly<Record<string, string>> = {
  standard: 'Takes an `Idempotency-Key`; the answer is kept for 24 hours.',
  secret:
    'Takes an `Idempotency-Key`; a 201 is kept, encrypted, for 5 minutes. A error is not kept and holds the key for up to 5 minutes: a corrected request takes a new one.',
};

const STATISTICS = 'Statistics have a rate limit of their own: one request per second.';

import type {
  OperationDocument,
  OperationSpec,
  ScopeFamily,
  ServiceDocument,
  WebhookDocuments,
} from '@postmesh/contracts';
import { OF_KEYS, type Audience } from './audience.js';
import type { ApiDocument, ApiOperation, RequestBody, SecurityRequirement } from './open-api.js';
import { Parameters } from './parameters.js';
import { headersOf, Responses } from './responses.js';
import { SchemaComponents } from './schema-components.js';
import { tagOf, tagsOf } from './tags.js';
import { webhooksOf } from './webhook-calls.js';

type Operations = Readonly<Record<string, OperationSpec>>;
type Documents = Readonly<Record<string, OperationDocument>>;

interface Parts {
  schemas: SchemaComponents;
  parameters: Parameters;
  responses: Responses;
  audience: Audience;
}

/** The version of the API (spec 0-interface §9). */
export const API_VERSION = '2.0.0';

/**
 * One OpenAPI 3.1 document of the operations, the same for the same input, key by key.
 * @param operations paths, scopes and idempotency by operation id
 * @param services the documents of operations, one per service
 * @param calls the documents of calls to URLs of customers
 * @param audience the callers of the operations
 * @throws Error that names the operations that no service describes, or the part that has no description
 */
export function buildApiDocument(
  operations: Operations,
  services: readonly ServiceDocument[],
  calls: WebhookDocuments = {},
  audience: Audience = OF_KEYS,
): ApiDocument {
  const documents: Documents = Object.assign({}, ...services);
  const missing = Object.keys(operations).filter((id) => !Object.hasOwn(documents, id));
  if (missing.length > 0) throw new Error(`no api-document.ts describes ${missing.join(', ')}`);
  const schemas = new SchemaComponents();
  const parts = {
    schemas,
    parameters: new Parameters(schemas),
    responses: new Responses(schemas, audience),
    audience,
  };
  const paths = pathsOf(operations, documents, parts);
  const webhooks = webhooksOf(calls, parts);
  return {
    openapi: '3.1.1',
    info: {
      title: audience.title,
      version: API_VERSION,
      summary: audience.summary,
      description: audience.introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'Where this document was found.' }],
    tags: tagsOf(Object.keys(operations)),
    paths,
    webhooks,
    components: {
      securitySchemes: { [audience.security.name]: audience.security.scheme },
      parameters: parts.parameters.all(),
      headers: headersOf(Object.values(operations)),
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
  { schemas, parameters, responses, audience }: Parts,
): ApiOperation {
  return {
    operationId: id,
    tags: [tagOf(id)],
    summary: document.summary,
    description: descriptionOf(spec, document, audience),
    security: securityOf(spec, document, audience),
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

/**
 * The keys that may call an operation: all roles of one requirement are needed, requirements are alternatives
 * (spec 0-interface §5 rule 3). The scope `*`, which grants everything, is not listed.
 */
function securityOf(
  spec: OperationSpec,
  document: OperationDocument,
  { security: { name } }: Audience,
): SecurityRequirement[] {
  const { scope } = spec;
  if (scope.kind === 'anonymous') return [];
  if (scope.kind === 'static') return [{ [name]: scope.scopes }];
  const family = familyOf(spec, document);
  if (family === undefined) return [{ [name]: [] }];
  return [{ [name]: [`${family}:all`] }, { [name]: [`${family}:{domain}`] }];
}

/** The scopes that an operation needs, as a sentence of its description. */
function scopeWords(spec: OperationSpec, document: OperationDocument, audience: Audience): string {
  const { scope } = spec;
  if (scope.kind === 'anonymous') return 'It needs no session, and comes from a page of the console.';
  if (scope.kind === 'static') {
    const names = scope.scopes.map((name) => `\`${name}\``).join(' and ');
    return `Needs the scope${scope.scopes.length > 1 ? 's' : ''} ${names}.`;
  }
  const family = familyOf(spec, document);
  if (family === undefined) return scope.kind === 'handler' ? audience.checkedCaller : audience.anyCaller;
  return `Needs the scope \`${family}:all\`, or \`${family}:{domain}\` for the domain that it is about.`;
}

function familyOf({ scope }: OperationSpec, { scopeFamily }: OperationDocument): ScopeFamily | undefined {
  return scope.kind === 'family' ? scope.family : scopeFamily;
}

function descriptionOf(spec: OperationSpec, document: OperationDocument, audience: Audience): string {
  const paragraphs = [
    document.description?.trim(),
    scopeWords(spec, document, audience),
    RETRY[String(spec.idempotent)],
  ];
  if (spec.rate === 'statistics') paragraphs.push(STATISTICS);
  return paragraphs.filter(Boolean).join('\n\n');
}

const RETRY: Readonly<Record<string, string>> = {
  standard: 'Takes an `Idempotency-Key`; the response is stored for 24 hours.',
  secret:
    'Takes an `Idempotency-Key`; a 201 is stored, encrypted, for 5 minutes. An error is not stored and holds the key for up to 5 minutes: a corrected request takes a new one.',
};

const STATISTICS = 'Statistics have a rate limit of their own: one request per second.';

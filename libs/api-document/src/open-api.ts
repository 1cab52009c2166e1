import { readFileSync } from 'node:fs';

/** A JSON Schema of the dialect 2020-12, which OpenAPI 3.1 uses. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Reference {
  readonly $ref: string;
  /** of a response: replaces the component's own */
  readonly description?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content: Readonly<Record<'application/json', MediaType>>;
}

export interface RequestBody {
  readonly required: boolean;
  readonly content: Readonly<Record<'application/json', MediaType>>;
}

/** Every role of one requirement is needed; any requirement of the list is enough. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly SecurityRequirement[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

/** A call that we make to a customer's URL. */
interface WebhookCall extends Omit<ApiOperation, 'requestBody' | 'responses'> {
  readonly requestBody: RequestBody;
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

/** The part of OpenAPI 3.1 that the document of this API makes use of. */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookCall }>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

/** Made by `npm run generate`, and committed; the same place seen from src and from dist. */
const FILE = new URL('../openapi.json', import.meta.url);

/**
 * The document of this release: what runs need not know the services' schemas.
 * @param baseUrl where the installation is: its first server, which generated clients take; then where the document was
 *   found, for pages behind a proxy
 */
export function readApiDocument(baseUrl?: string): ApiDocument {
  const document = JSON.parse(readFileSync(FILE, 'utf8')) as ApiDocument;
  if (baseUrl === undefined) return document;
  const own = { url: baseUrl.replace(/\/$/, ''), description: 'This installation.' };
  return { ...document, servers: [own, ...document.servers] };
}

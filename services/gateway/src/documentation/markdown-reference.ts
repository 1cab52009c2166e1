import type {
  ApiDocument,
  ApiOperation,
  JsonSchema,
  Parameter,
  Reference,
  RequestBody,
  Response,
} from '../openapi/open-api.js';
import type { SiteSection } from './site-pages.js';
import { aboutOf, fieldTable, namedSchemas, row, typeOf } from './markdown-schema.js';

/** A page of the reference as Markdown, for programs that read text. */
interface Page {
  readonly path: string;
  readonly title: string;
  readonly about: string;
  readonly text: string;
}

const INTRODUCTION = '/docs/introduction.md';
const CALLS = '/docs/webhook-calls.md';

/**
 * The reference as Markdown: an index in the form of llmstxt.org, and a page for each family of operations with all of its
 * fields, scopes, errors and examples. The index lists the pages of the documentation, too, each of which has its Markdown.
 * @returns text by path
 */
export function markdownReference(
  document: ApiDocument,
  site: readonly SiteSection[] = [],
): ReadonlyMap<string, string> {
  const families = document.tags.map((tag) => familyPage(document, tag));
  const pages = [introductionPage(document), ...families, callsPage(document)];
  return new Map([
    ['/llms.txt', indexOf(document, pages, site)],
    ...pages.map(({ path, text }): [string, string] => [path, text]),
  ]);
}

function indexOf(
  { info, servers }: ApiDocument,
  pages: readonly Page[],
  site: readonly SiteSection[],
): string {
  // relative, unless the installation has a URL: a proxy may serve the API below a path of its own
  const base = servers.map(({ url }) => url).find((url) => /^https?:/.test(url));
  const link = (path: string) => (base === undefined ? path.slice(1) : `${base}${path}`);
  const listOf = (listed: readonly Omit<Page, 'text'>[]) =>
    listed.map(({ path, title, about }) => `- [${title}](${link(path)}): ${about}`).join('\n');
  return lines(
    `# ${info['title']}`,
    `> ${info['summary']}`,
    `Each page is complete for its family of operations: fields, scopes, errors, examples. The whole is also one OpenAPI 3.1 document.`,
    '## Reference',
    listOf(pages),
    ...site.flatMap((section) => [`## Documentation: ${section.title}`, listOf(section.pages)]),
    '## Optional',
    `- [OpenAPI document](${link('/openapi.json')}): the same for programs`,
  );
}

function introductionPage({ info, servers }: ApiDocument): Page {
  const about = 'authentication, errors, lists, retries, rate limits';
  return {
    path: INTRODUCTION,
    title: 'Introduction',
    about,
    text: lines(
      `# ${info['title']}: introduction`,
      `Base URL: ${servers[0]?.url ?? '/'}`,
      String(info['description']),
      'The body of each error has one field: `{"message": "…"}`.',
    ),
  };
}

function familyPage(document: ApiDocument, tag: ApiDocument['tags'][number]): Page {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.tags.includes(tag.name) ? [{ line: `${method.toUpperCase()} ${path}`, operation }] : [],
    ),
  );
  const schemas = operations.flatMap(({ operation }) => schemasOf(document, operation));
  return {
    path: `/docs/${tag.name.toLowerCase().replaceAll(' ', '-')}.md`,
    title: tag.name,
    about: tag.description,
    text: lines(
      `# ${tag.name}`,
      tag.description,
      `Authentication, errors, lists and retries: [introduction](introduction.md).`,
      operations.map(({ line, operation }) => `- \`${line}\`: ${operation.summary}`).join('\n'),
      ...operations.flatMap(({ line, operation }) => operationSection(document, line, operation)),
      ...objectsSection(document, schemas),
    ),
  };
}

function callsPage(document: ApiDocument): Page {
  const calls = Object.entries(document.webhooks);
  const schemas = calls.flatMap(([, { post }]) =>
    Object.values(post.requestBody.content).map(({ schema }) => schema),
  );
  const [first] = calls;
  return {
    path: CALLS,
    title: 'Webhook calls',
    about: 'The calls that we make to your servers, and how they are verified.',
    text: lines(
      '# Webhook calls',
      'The calls that we make to the URLs of your webhooks and routes.',
      ...(first ? parameterTable(document, first[1].post.parameters, '## Headers of each call') : []),
      ...calls.flatMap(([name, { post }]) => [
        `## ${name}`,
        `${post.summary}.`,
        post.description,
        ...bodyTable(document, post.requestBody, '### Body'),
        jsonOf(post.requestBody.content['application/json'].example),
      ]),
      ...objectsSection(document, schemas),
    ),
  };
}

function operationSection(document: ApiDocument, line: string, operation: ApiOperation): string[] {
  const body = operation.requestBody;
  return [
    `## ${operation.summary}`,
    `\`${line}\` (\`${operation.operationId}\`)`,
    operation.description,
    `Scopes: ${scopesOf(operation)}`,
    ...parameterTable(document, operation.parameters, '### Parameters'),
    ...(body ? bodyTable(document, body, `### Body${body.required ? '' : ', which may be left out'}`) : []),
    requestOf(line, operation),
    ...responseSections(document, operation),
  ];
}

/** Each requirement is enough; all scopes of one are needed. */
function scopesOf({ security }: ApiOperation): string {
  const each = security
    .flatMap((requirement) => Object.values(requirement))
    .map((scopes) => scopes.join(' and '));
  const named = each.filter((scopes) => scopes !== '').map((scopes) => `\`${scopes}\``);
  return named.length === 0 ? 'none, or as described' : named.join(' or ');
}

function parameterTable(
  document: ApiDocument,
  parameters: readonly (Parameter | Reference)[],
  heading: string,
): string[] {
  if (parameters.length === 0) return [];
  const rows = parameters
    .map((parameter) => resolved(document.components.parameters, parameter))
    .map(({ name, in: place, required, description, schema }) =>
      row(`\`${name}\``, place, typeOf(schema), required ? 'yes' : '', aboutOf(schema, description)),
    );
  return [heading, ['| name | in | type | needed | about |', '| - | - | - | - | - |', ...rows].join('\n')];
}

function bodyTable({ components }: ApiDocument, { content }: RequestBody, heading: string): string[] {
  return [heading, fieldTable(resolved(components.schemas, content['application/json'].schema))];
}

/** The request as it is on the wire, with the example of its body. */
function requestOf(line: string, { requestBody, parameters }: ApiOperation): string {
  const example = requestBody?.content['application/json'].example;
  const isKeyed = parameters.some((each) => '$ref' in each && /idempotency/i.test(each.$ref));
  return [
    '```http',
    line,
    'Authorization: Bearer <API key>',
    ...(isKeyed ? ['Idempotency-Key: <a new one for each request>'] : []),
    ...(example === undefined
      ? []
      : ['Content-Type: application/json', '', JSON.stringify(example, null, 2)]),
    '```',
  ].join('\n');
}

function responseSections(document: ApiDocument, { responses }: ApiOperation): string[] {
  const each = Object.entries(responses).map(([status, given]) => {
    const response = resolved<Response>(document.components.responses, given);
    return { status, description: given.description ?? response.description, response };
  });
  const good = each.filter(({ status }) => status.startsWith('2'));
  const errors = each.filter(({ status }) => !status.startsWith('2'));
  return [
    ...good.flatMap(({ status, description, response }) => [
      `### Response ${status}`,
      description,
      ...Object.values(response.content ?? {}).flatMap(({ schema, example }) => [
        `Type: ${typeOf(schema)}`,
        ...('$ref' in schema ? [] : [fieldTable(schema)]),
        ...(example === undefined ? [] : [jsonOf(example)]),
      ]),
    ]),
    '### Errors',
    [
      '| status | when |',
      '| - | - |',
      ...errors.map(({ status, description }) => row(status, description)),
    ].join('\n'),
  ];
}

/** The schemas of its responses and, below the fields, those of its body. */
function schemasOf(document: ApiDocument, { requestBody, responses }: ApiOperation): JsonSchema[] {
  const good = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => resolved<Response>(document.components.responses, response));
  const body = requestBody?.content['application/json'].schema;
  return [
    ...(body ? [resolved(document.components.schemas, body)] : []),
    ...good.flatMap(({ content }) => Object.values(content ?? {}).map(({ schema }) => schema)),
  ];
}

/** Every object that the page refers to, once. */
function objectsSection({ components }: ApiDocument, schemas: readonly JsonSchema[]): string[] {
  const named = namedSchemas(schemas, components.schemas);
  if (named.length === 0) return [];
  return [
    '## Objects',
    ...named.flatMap(([name, schema]) => [
      `### ${name}`,
      ...(typeof schema['description'] === 'string' ? [schema['description']] : []),
      fieldTable(schema),
    ]),
  ];
}

function resolved<T extends object>(
  components: Readonly<Record<string, T>>,
  given: T | Reference | JsonSchema,
): T {
  if (!('$ref' in given)) return given as T;
  const name = String(given.$ref).split('/').at(-1) ?? '';
  const found = components[name];
  if (!found) throw new Error(`the document has no component ${String(given.$ref)}`);
  return found;
}

const jsonOf = (example: unknown): string => `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``;

const lines = (...paragraphs: readonly string[]): string =>
  `${paragraphs.filter((one) => one !== '').join('\n\n')}\n`;

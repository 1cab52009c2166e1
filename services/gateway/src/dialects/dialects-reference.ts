import type { Dialect, DialectRoute } from './dialect.js';
import { DIALECT_TABLE } from './dialects.table.js';
import type { FieldTable } from './fields.js';
import { SDK_CALLS } from './sdk-calls.table.js';

const INTRODUCTION = `# Dialects: the APIs of other services

Generated from the tables in \`services/gateway/src/dialects\` by \`npm run generate\`. With \`POSTMESH_DIALECTS\`
([settings](settings.md)) the gateway also speaks the sending APIs of other services, so that a program comes here with another
base URL and another key. Without it their paths are 404, and \`/v2\` is the same in both cases.

- A request becomes calls of operations of \`/v2\`, in the name of the same API key: its scopes, IP allow list, rate limits and
  idempotency keys count as there ([decision 132](decisions/0132-dialects-are-tables.md)). The messages are in the console and
  in \`GET /v2/…/messages\` like all others.
- **Each field is supported or refused by name**, in the form of errors of its service; one that is in no table is refused, too.
  Null is the same as a field that is left out. The only fields that may be given without an effect are those whose value asks
  for what is the case anyway, and they are in the tables.
- Bodies have the limits of \`/v2\`: 30 MB, 20 MiB as a message. The calls that one request becomes take the rate of the
  account: the first one as any request, the others wait for it, up to 45 seconds.
- \`Idempotency-Key\` is honoured by every send, for 24 hours; a repetition has \`Idempotent-Replayed: true\`. The key covers the
  whole request: a batch with another item is another request.
- Header fields that the service writes itself (\`From\`, \`Message-ID\`, \`DKIM-Signature\`, … of spec 2-messages §5.2) are refused
  among the headers of a request.
- A slash at the end of a path changes nothing.
- A compressed body (\`Content-Encoding\`) is refused.
- All other paths of these services are 404.`;

const SDK_INTRODUCTION = `## SDKs

Packages of npm, PyPI and the Go module proxy, unmodified, against an installation, with nothing changed but base URL and key
(\`services/all-in-one/test/contract/dialects.spec.ts\` and \`dialect-sdks.spec.ts\`). Each call is asserted by what the mail host
or \`GET /v2\` saw. Postmark has no SDK of its own for Python and Go; \`postmarker\` and \`mrz1836/postmark\` are the usual ones.`;

/**
 * docs/dialects.md
 * @param versions of the packages that are pinned, by language and name: `Node resend`
 */
export function dialectsReference(versions: Readonly<Record<string, string | undefined>>): string {
  return `${[INTRODUCTION, sdkSection(versions), ...DIALECT_TABLE.map(dialectSection)].join('\n\n')}\n`;
}

function sdkSection(versions: Readonly<Record<string, string | undefined>>): string {
  const rows = SDK_CALLS.map(({ language, packages, calls }) =>
    line(
      language,
      packages.map((name) => `\`${name}\``).join(', '),
      packages.map((name) => versions[`${language} ${name}`] ?? '').join(', '),
      calls.join('; '),
      `${calls.length} of ${calls.length}`,
    ),
  );
  return [`${SDK_INTRODUCTION}\n`, ...heading('language', 'SDK', 'version', 'calls', 'passed'), ...rows].join(
    '\n',
  );
}

function dialectSection({
  name,
  title,
  credentials,
  change,
  notes,
  routes,
  refusedHeaders = {},
}: Dialect): string {
  const operations = Object.values(routes).map(({ method, path, what, becomes }) =>
    line(`\`${method} ${path}\``, what, becomes),
  );
  return [
    `## ${title}`,
    [
      `\`POSTMESH_DIALECTS=${name}\`. The key: ${credentials}. The change in the SDK: ${change}.\n`,
      ...notes.map((note) => `- ${note}`),
      ...Object.entries(refusedHeaders).map(
        ([header, why]) => `- The header \`${header}\` is refused: ${why}.`,
      ),
    ].join('\n'),
    [...heading('request', 'what', 'becomes'), ...operations].join('\n'),
    ...fieldSections(Object.values(routes)),
  ].join('\n\n');
}

/** The tables of a dialect, each row once: a table like an earlier one has its differences alone. */
function fieldSections(routes: readonly DialectRoute[]): string[] {
  const tables = routes.flatMap(({ method, path, fields, query }) => [
    ...(query ? [{ title: `\`${method} ${path}\`: query`, table: query }] : []),
    ...(fields ? [{ title: `\`${method} ${path}\`: fields`, table: fields }] : []),
  ]);
  return tables.map(({ title, table }, at) => {
    const like = tables.slice(0, at).find((earlier) => isLike(earlier.table, table));
    const rows = rowsOf(like ? differences(like.table, table) : table, '');
    const text = like ? `As those of ${like.title}${rows.length > 0 ? ', but:\n' : '.'}` : undefined;
    const shown = rows.length > 0 ? [...heading('field', 'here'), ...rows] : [];
    return [`### ${title}\n`, ...(text === undefined ? [] : [text]), ...shown].join('\n');
  });
}

const namesOf = (table: FieldTable): string => Object.keys(table).join();
const differences = (earlier: FieldTable, table: FieldTable): FieldTable =>
  Object.fromEntries(Object.entries(table).filter(([name, field]) => earlier[name] !== field));

/** The same names, and most of them the same fields. */
const isLike = (earlier: FieldTable, table: FieldTable): boolean =>
  namesOf(earlier) === namesOf(table) &&
  2 * Object.keys(differences(earlier, table)).length < Object.keys(table).length;

const rowsOf = (table: FieldTable, prefix: string): string[] =>
  Object.entries(table).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    if (!('read' in field)) {
      const except = field.except ? `, unless ${field.except.text}` : '';
      return [line(`\`${path}\``, `refused${except}: ${field.refused}`)];
    }
    const needed = field.required ? ' (required)' : '';
    const inner = field.fields ? rowsOf(field.fields, `${path}${field.isList ? '[]' : ''}.`) : [];
    return [line(`\`${path}\``, `${field.to}${needed}`), ...inner];
  });

const line = (...cells: string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const heading = (...cells: string[]): string[] => [line(...cells), line(...cells.map(() => '---'))];

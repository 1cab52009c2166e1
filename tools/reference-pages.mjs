// @ts-check
// Pages of docs/reference that tables of the code are written to: errors of the API with replies of the SMTP listeners, and the
// command line.
import { commandHelp } from './operator-cli/terminal.mjs';

/** @typedef {{ description?: string, $ref?: string }} Given */
/** @typedef {{ paths: Record<string, Record<string, { operationId: string, responses: Record<string, Given> }>>, components: { responses: Record<string, Given> } }} ApiDocument */

/** More operations than these are not named. */
const MOST_NAMED = 3;

/**
 * @param {string} api text of the API document
 * @param {Record<string, { code: number, enhanced?: string, text: string }>} replies
 */
export function errorsReference(api, replies) {
  /** @type {ApiDocument} */
  const document = JSON.parse(api);
  const errors = errorsOf(document);
  const statuses = [...new Set(errors.map(({ status }) => status))].toSorted(
    (one, other) => Number(one) - Number(other),
  );
  const smtp = Object.values(replies).toSorted((one, other) => one.code - other.code);
  return [
    '# Errors and replies',
    'Generated from the API document and the replies of the listeners by `npm run generate`.',
    'The body of each error of the API is `{"message": "…"}`. `X-Request-Id` names the request in the request log and in our log. A response of 408, 429, 500 or 503 may be followed by the same request with the same `Idempotency-Key`, after the time of `Retry-After` where there is one; all others repeat themselves.',
    ...statuses.flatMap((status) => [
      `## ${status}`,
      tableOf(['message', 'operations'], errors.filter((error) => error.status === status).map(rowOf)),
    ]),
    '## Replies to SMTP clients',
    'A reply that begins with 4 may be followed by another try, one with 5 may not. Replies of other mail servers, and how they are classified, are on [a page of their own](../replies.md).',
    tableOf(
      ['reply', 'text'],
      smtp.map(({ code, enhanced, text }) => [`\`${code} ${enhanced}\``, `\`${text}\``]),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

/** @param {ApiDocument} document each error once, with its operations @returns {{ status: string, text: string, operations: string[] }[]} */
function errorsOf({ paths, components }) {
  const errors = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => !status.startsWith('2'))
        .flatMap(([status, given]) => {
          const described =
            given.description ?? components.responses[given.$ref?.split('/').at(-1) ?? '']?.description ?? '';
          const texts = described.startsWith('- ') ? described.slice(2).split('\n- ') : [described];
          return texts.map((text) => ({ status, text, operationId }));
        }),
    );
  /** @type {Map<string, { status: string, text: string, operations: string[] }>} */
  const groups = new Map();
  for (const { status, text, operationId } of errors) {
    const group = groups.get(`${status} ${text}`) ?? { status, text, operations: [] };
    groups.set(`${status} ${text}`, group);
    if (!group.operations.includes(operationId)) group.operations.push(operationId);
  }
  return [...groups.values()];
}

/** @param {{ text: string, operations: string[] }} error */
const rowOf = ({ text, operations }) => [
  text.replaceAll('\n', ' '),
  operations.length > MOST_NAMED ? `${operations.length}` : operations.map((one) => `\`${one}\``).join(', '),
];

/** @param {string[]} head @param {string[][]} rows */
const tableOf = (head, rows) =>
  [head, head.map(() => '-'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

/** @param {Record<string, import('./operator-cli/requests.mjs').Commands>} groups title → commands */
export const cliReference = (groups) =>
  [
    '# Command line',
    'Generated from the commands of `tools/operator-cli` by `npm run generate`. In a checkout they are run by `npx postmesh <command>` or `./postmesh <command>`, in the image by `node tools/postmesh.mjs <command>`; `--json` prints the response itself. They ask the installation whose `credentials.json` is in `POSTMESH_DATA_DIR` (`./.data`), or the one of `POSTMESH_OPERATOR_URL` with `POSTMESH_OPERATOR_TOKEN`.',
    ...Object.entries(groups).flatMap(([title, commands]) => [
      `## ${title}`,
      ...Object.entries(commands).flatMap(([name, command]) => [
        `### ${name}`,
        `\`\`\`text\n${commandHelp(name, command)}\n\`\`\``,
      ]),
    ]),
  ]
    .join('\n\n')
    .concat('\n');

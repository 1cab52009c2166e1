// @ts-check
// npx postmesh mcp: a server of the Model Context Protocol for assistants (docs/mcp.md). Its SDK is loaded by this command alone.
import { OperatorTrouble, readNumber } from './requests.mjs';

const DEFAULT_PER_RUN = 20;
const DEFAULT_PER_DAY = 100;
const MAX_BUDGET = 10_000;
const APPROVERS = ['client', 'tty', 'off'];

/** @type {import('./requests.mjs').Commands} */
export const MCP_COMMANDS = {
  mcp: {
    help: 'tools for an assistant: read messages, domains, statistics; send to allowed recipients',
    about: [
      'A server of the Model Context Protocol over stdin and stdout, started by the program of the assistant. It is a client of',
      'the API: POSTMESH_BASE_URL, POSTMESH_API_KEY and POSTMESH_ACCOUNT_ID name the installation and a key whose scopes bound',
      'everything. Without --allow there are no tools that send. docs/mcp.md has examples.',
    ].join('\n'),
    options: {
      allow: {
        value: '<address or domain>',
        help: 'a recipient that may be sent to; a domain without its subdomains',
        multiple: true,
      },
      'per-run': { value: '<messages>', help: `how many messages one run sends (${DEFAULT_PER_RUN})` },
      'per-day': {
        value: '<messages>',
        help: `how many messages all runs for the account send on a day of UTC (${DEFAULT_PER_DAY})`,
      },
      approve: {
        value: APPROVERS.join('|'),
        help: 'where a person approves each send: in the client, on the terminal of this command, or not at all (client)',
      },
      contents: { help: 'contents of mails may be read, as far as the scopes of the key allow it' },
      state: { value: '<folder>', help: 'where the sends of the day are counted (~/.postmesh)' },
    },
    examples: ['mcp', 'mcp --allow ann@example.com --allow test.example.com --per-day 10'],
    most: 0,
    run: async (_, options, { env }) => {
      const settings = readSettings(options, env);
      const { serve } = await import('../mcp/serve.mjs').catch((error) => {
        if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
        throw new OperatorTrouble(
          'images of services have no MCP server: run it in a checkout after `npm ci`',
        );
      });
      await serve(settings);
    },
    // stdout belongs to the protocol
    text: () => '',
  },
};

/**
 * @typedef {object} McpSettings
 * @property {{ url: string, token: string }} api
 * @property {string} accountId
 * @property {string[]} allow
 * @property {number} perRun
 * @property {number} perDay
 * @property {'client' | 'tty' | 'off'} approve
 * @property {boolean} hasContents
 * @property {string | undefined} stateFolder
 */

/**
 * @param {import('./requests.mjs').Options} options
 * @param {Record<string, string | undefined>} env
 * @returns {McpSettings}
 * @throws OperatorTrouble
 */
export function readSettings(options, env) {
  const { POSTMESH_BASE_URL: url, POSTMESH_API_KEY: token, POSTMESH_ACCOUNT_ID: accountId } = env;
  const missing = ['POSTMESH_BASE_URL', 'POSTMESH_API_KEY', 'POSTMESH_ACCOUNT_ID'].find((name) => !env[name]);
  if (!url || !token || !accountId)
    throw new OperatorTrouble(
      `there is no ${missing} in the environment: docs/mcp.md has the three that are needed`,
    );
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new OperatorTrouble('POSTMESH_BASE_URL must be an http or https URL');
  if (!/^[0-9a-f-]{36}$/i.test(accountId))
    throw new OperatorTrouble('POSTMESH_ACCOUNT_ID must be the id of an account');
  const { approve = 'client' } = options;
  if (!APPROVERS.includes(approve))
    throw new OperatorTrouble(`--approve must be one of ${APPROVERS.join(', ')}`);
  return {
    api: { url, token },
    accountId: accountId.toLowerCase(),
    allow: options.allow ?? [],
    perRun: readBudget(options, 'per-run', DEFAULT_PER_RUN),
    perDay: readBudget(options, 'per-day', DEFAULT_PER_DAY),
    approve,
    hasContents: options.contents === true,
    stateFolder: options.state,
  };
}

/** @param {import('./requests.mjs').Options} options @param {string} name @param {number} usual @throws OperatorTrouble */
function readBudget(options, name, usual) {
  const budget = options[name] === undefined ? usual : readNumber(options[name], name);
  if (budget > MAX_BUDGET) throw new OperatorTrouble(`--${name} must be at most ${MAX_BUDGET}`);
  return budget;
}

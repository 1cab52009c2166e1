// @ts-check
// All commands of the command line.
import { ACCOUNT_COMMANDS, ACCOUNT_DOMAIN_COMMANDS, KEY_COMMANDS } from './account-commands.mjs';
import { BACKUP_COMMANDS } from './backup-commands.mjs';
import { CAMPAIGN_COMMANDS } from './campaign-commands.mjs';
import { DESIGN_COMMANDS } from './design-commands.mjs';
import { CONTACT_COMMANDS } from './contact-commands.mjs';
import { DOMAIN_COMMANDS } from './domain-commands.mjs';
import { EGRESS_COMMANDS } from './egress-commands.mjs';
import { AUDIT_COMMANDS, HEALTH_COMMANDS, SERVICE_DOMAIN_COMMANDS } from './health-commands.mjs';
import { IMPORT_COMMANDS } from './import-commands.mjs';
import { MCP_COMMANDS } from './mcp-command.mjs';
import { MESSAGE_COMMANDS } from './message-commands.mjs';
import { parseJson } from './requests.mjs';
import { SECRET_COMMANDS } from './secret-commands.mjs';
import { SETUP_COMMANDS } from './setup-command.mjs';
import { SUPPRESSION_COMMANDS } from './suppression-commands.mjs';
import { WEBHOOK_COMMANDS } from './webhook-commands.mjs';

/** @param {string} method @returns {import('./requests.mjs').Command} */
const anyMethod = (method) => ({
  usage: '</operator/path> [json]',
  help: `${method} a path of the operator interface`,
  about: '`npx postmesh get /operator` lists all paths.',
  least: 1,
  most: 2,
  request: ([path = '', json]) => ({ method, path, body: json === undefined ? undefined : parseJson(json) }),
});

/** Title → commands, in the order of the help. @type {Record<string, import('./requests.mjs').Commands>} */
export const GROUPS = {
  'Is it well?': HEALTH_COMMANDS,
  'Before the first start': SETUP_COMMANDS,
  'Ways out': EGRESS_COMMANDS,
  Messages: { ...MESSAGE_COMMANDS, ...SUPPRESSION_COMMANDS },
  Campaigns: { ...CAMPAIGN_COMMANDS, ...DESIGN_COMMANDS },
  Contacts: CONTACT_COMMANDS,
  Webhooks: WEBHOOK_COMMANDS,
  'From another service': IMPORT_COMMANDS,
  Accounts: ACCOUNT_COMMANDS,
  'API keys': KEY_COMMANDS,
  Audit: AUDIT_COMMANDS,
  'Secret keys': SECRET_COMMANDS,
  'Backup and restore': BACKUP_COMMANDS,
  Domains: { ...DOMAIN_COMMANDS, ...ACCOUNT_DOMAIN_COMMANDS, ...SERVICE_DOMAIN_COMMANDS },
  Assistants: MCP_COMMANDS,
  'Anything else': {
    get: anyMethod('GET'),
    post: anyMethod('POST'),
    put: anyMethod('PUT'),
    delete: anyMethod('DELETE'),
  },
};

/** By name. @type {import('./requests.mjs').Commands} */
export const COMMANDS = Object.assign({}, ...Object.values(GROUPS));

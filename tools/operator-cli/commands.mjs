// What can be asked on the command line: one entry per command, nothing else knows of it.
//   usage, least, most: words behind the name · options: `--name value`, each with a help, perhaps `needed` or `multiple`
//   request(words, options) → what is asked · tables, fields: which parts of the answer are shown, and how
//   (`.` = the answer itself) · present: the answer as it is shown · whole: cells are not cut · isBad: exit code 1
import { ACCOUNT_COMMANDS } from './account-commands.mjs';
import { AUDIT_COMMANDS } from './audit-commands.mjs';
import { DOMAIN_COMMANDS } from './domain-commands.mjs';
import { HEALTH_COMMANDS } from './health-commands.mjs';
import { KEY_COMMANDS } from './key-commands.mjs';
import { MESSAGE_COMMANDS } from './message-commands.mjs';
import { parseJson } from './trouble.mjs';

const anyMethod = (method) => ({
  usage: '</operator/path> [json]',
  help: `${method} anything of the operator interface`,
  about: '`npx postmesh get /operator` lists what there is.',
  least: 1,
  most: 2,
  request: ([path, json]) => ({ method, path, body: json === undefined ? undefined : parseJson(json) }),
});

/** title → commands, in the order of the help */
export const GROUPS = {
  'Is it well?': HEALTH_COMMANDS,
  Messages: MESSAGE_COMMANDS,
  Accounts: ACCOUNT_COMMANDS,
  'API keys': KEY_COMMANDS,
  Audit: AUDIT_COMMANDS,
  DNS: DOMAIN_COMMANDS,
  'Anything else': {
    get: anyMethod('GET'),
    post: anyMethod('POST'),
    put: anyMethod('PUT'),
    delete: anyMethod('DELETE'),
  },
};

/** by name */
export const COMMANDS = Object.assign({}, ...Object.values(GROUPS));

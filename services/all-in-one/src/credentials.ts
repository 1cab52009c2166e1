import { join } from 'node:path';
import { z } from 'zod';
import { FirstAccount } from '@postmesh/accounts';
import { retryTransient } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import type { RunningService } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { writePrivateFile } from './data-dir.js';
import { readKeptJson } from './kept-json.js';

/** `$POSTMESH_DATA_DIR/credentials.json` (architecture §5.1). */
const Credentials = z.object({
  base_url: z.string(),
  account_id: z.string(),
  api_key: z.string(),
  operator_url: z.string(),
  operator_token: z.string(),
  smtp: z.object({ host: z.string(), port: z.number(), mx_port: z.number().optional() }),
  mailbox_url: z.string().nullable(),
});
type Credentials = z.infer<typeof Credentials>;
// A start needs only these fields of a file that an earlier release may have written.
const Known = Credentials.pick({ account_id: true, api_key: true });

/**
 * First start: an account and an API key with every scope, written to credentials.json. Later starts keep
 * both and only bring the addresses up to date.
 * @returns a link that signs the owner of the account in to the console once; undefined when the console is off
 */
export async function ensureCredentials(about: {
  settings: Settings;
  inner: readonly RunningService[];
  baseUrl: string;
  mailboxUrl: string | null;
  /** ports of the open listeners; a setting of 0 means any free port */
  smtp: { port: number; mxPort: number };
  logger: Logger;
}): Promise<string | undefined> {
  const { settings, logger } = about;
  const addresses = {
    base_url: about.baseUrl,
    operator_url: `http://localhost:${settings.operatorPort}`,
    operator_token: settings.operatorToken ?? '',
    smtp: { host: 'localhost', port: about.smtp.port, mx_port: about.smtp.mxPort },
    mailbox_url: about.mailboxUrl,
  };
  const accounts = about.inner.find(({ name }) => name === 'accounts');
  if (!accounts) throw new Error('the accounts service is not running');
  const known = await readCredentials(settings.dataDir);
  const first = accounts.get(FirstAccount);
  const findOrCreate = async () =>
    known && (await first.isKnown(known.api_key)) ? known : await first.create();
  const key = await retryTransient(findOrCreate, { what: 'accounts', logger });
  await writeCredentials(settings.dataDir, {
    ...addresses,
    account_id: key.account_id,
    api_key: key.api_key,
  });
  if (!settings.console) return undefined;
  const makeLink = () => first.signInLink(key.account_id);
  return retryTransient(makeLink, { what: 'accounts', logger });
}

/** Exported for tests. @throws Error that names the file when it is broken */
export const readCredentials = (dataDir: string): Promise<z.infer<typeof Known> | undefined> =>
  readKeptJson(
    join(dataDir, 'credentials.json'),
    Known,
    'put back a copy of it, or remove it: the next start makes another account and key',
  );

function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  return writePrivateFile(join(dataDir, 'credentials.json'), `${JSON.stringify(credentials, null, 2)}\n`);
}

import { FirstAccount } from '@postmesh/accounts';
import type { RunningService } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { readCredentials, writeCredentials } from './credentials.js';

/**
 * First start: an account and an API key with every scope, written to credentials.json. Later starts keep
 * both and only bring the addresses up to date.
 */
export async function ensureCredentials(about: {
  settings: Settings;
  inner: readonly RunningService[];
  baseUrl: string;
  mailboxUrl: string | null;
}): Promise<void> {
  const { settings } = about;
  const addresses = {
    base_url: about.baseUrl,
    operator_url: `http://localhost:${settings.operatorPort}`,
    operator_token: settings.operatorToken ?? '',
    smtp: { host: 'localhost', port: settings.submissionPorts[0] ?? 2525 },
    mailbox_url: about.mailboxUrl,
  };
  const accounts = about.inner.find(({ name }) => name === 'accounts');
  if (!accounts) throw new Error('the accounts service is not running');
  const known = await readCredentials(settings.dataDir);
  const first = accounts.get(FirstAccount);
  const key = known && (await first.isKnown(known.api_key)) ? known : await first.create();
  await writeCredentials(settings.dataDir, {
    ...addresses,
    account_id: key.account_id,
    api_key: key.api_key,
  });
}

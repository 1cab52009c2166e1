import { join } from 'node:path';
import { z } from 'zod';
import { randomText } from '@postmesh/secrets';
import type { Settings } from '@postmesh/settings';
import { writePrivateFile } from './data-dir.js';
import { readKeptJson } from './kept-json.js';

const LocalSecrets = z.object({
  secret_keys: z.array(z.string().min(32)).min(1),
  operator_token: z.string().min(20),
});
export type LocalSecrets = z.infer<typeof LocalSecrets>;

const MEND =
  'put back a copy of it, because encrypted values cannot be read without its keys; ' +
  'remove it only if the installation holds no data yet';

/**
 * Keys for encryption and signing and the operator token: from the settings, else made at the first start and stored in
 * the data directory, next to the data that they protect.
 */
export async function ensureLocalSecrets(settings: Settings): Promise<LocalSecrets> {
  const path = join(settings.dataDir, 'secrets.json');
  const kept = await readKeptJson(path, LocalSecrets, MEND);
  const own = kept ?? makeSecrets();
  if (kept === undefined) await writePrivateFile(path, `${JSON.stringify(own, null, 2)}\n`);
  return {
    secret_keys: settings.secretKeys.length > 0 ? [...settings.secretKeys] : own.secret_keys,
    operator_token: settings.operatorToken ?? own.operator_token,
  };
}

const makeSecrets = (): LocalSecrets => ({
  secret_keys: [randomText(48)],
  operator_token: `pm-op-${randomText(40)}`,
});

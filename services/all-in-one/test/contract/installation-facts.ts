import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials, Installation } from '../installation.js';

/** What a test needs to know of a running installation, whoever started it. */
export interface InstallationFacts {
  credentials: Credentials;
  databaseUrl: string;
}

/** The token of the operator oncall, beside the one that every installation makes. */
export const ONCALLS_TOKEN = 'a-token-that-is-oncalls-alone';

/**
 * `X-Forwarded-For` counts, so that a test can come from any address. SMTP clients of all files come from one: it is not
 * shut out for what they show of failed logins.
 */
export const CONTRACT_SETTINGS: Record<string, string> = {
  POSTMESH_TRUSTED_PROXIES: '127.0.0.0/8',
  POSTMESH_SMTP_LOGIN_FAILURES: '1000000',
  POSTMESH_OPERATOR_TOKENS: `oncall:${ONCALLS_TOKEN}`,
  POSTMESH_CAMPAIGN_REVIEW: 'on',
  POSTMESH_PRICE_PER_MESSAGE: '0.01',
  POSTMESH_CURRENCY: 'eur',
};

export async function facts(installation: Installation): Promise<InstallationFacts> {
  const { credentials, dataDir } = installation;
  const read = async (name: string) =>
    (await readFile(join(dataDir, 'postgres', 'instance', name), 'utf8')).trim();
  const [password, port] = [await read('password'), await read('port')];
  return { credentials, databaseUrl: `postgresql://postgres:${password}@127.0.0.1:${port}/postgres` };
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials, Installation } from '../installation.js';

/** The facts of a running installation that tests need. */
export interface InstallationFacts {
  credentials: Credentials;
  databaseUrl: string;
}

/** The token of the operator oncall, in addition to the token that every installation makes. */
export const ONCALLS_TOKEN = 'a-token-that-is-oncalls-alone';

/**
 * `X-Forwarded-For` counts, so that a test can come from any address. The SMTP clients of all files share one address,
 * which failed logins do not block.
 */
export const CONTRACT_SETTINGS: Record<string, string> = {
  POSTMESH_TRUSTED_PROXIES: '127.0.0.0/8',
  POSTMESH_SMTP_LOGIN_FAILURES: '1000000',
  POSTMESH_OPERATOR_TOKENS: `oncall:${ONCALLS_TOKEN}`,
  POSTMESH_CAMPAIGN_REVIEW: 'on',
  POSTMESH_PRICE_PER_MESSAGE: '0.01',
  POSTMESH_CURRENCY: 'eur',
  POSTMESH_DIALECTS: 'resend,postmark,sendgrid,mailgun,ses',
};

export async function facts(installation: Installation): Promise<InstallationFacts> {
  const { credentials, dataDir } = installation;
  const read = async (name: string) =>
    (await readFile(join(dataDir, 'postgres', 'instance', name), 'utf8')).trim();
  const [password, port] = [await read('password'), await read('port')];
  return { credentials, databaseUrl: `postgresql://postgres:${password}@127.0.0.1:${port}/postgres` };
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivateFile } from './data-dir.js';

/** `$POSTMESH_DATA_DIR/credentials.json` (architecture §5.1). */
export const Credentials = z.object({
  base_url: z.string(),
  account_id: z.string(),
  api_key: z.string(),
  operator_url: z.string(),
  operator_token: z.string(),
  smtp: z.object({ host: z.string(), port: z.number() }),
  mailbox_url: z.string().nullable(),
});
export type Credentials = z.infer<typeof Credentials>;

export async function readCredentials(dataDir: string): Promise<Credentials | undefined> {
  const text = await readFile(join(dataDir, 'credentials.json'), 'utf8').catch(() => undefined);
  const parsed = text === undefined ? undefined : Credentials.safeParse(JSON.parse(text));
  return parsed?.success ? parsed.data : undefined;
}

export function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  return writePrivateFile(join(dataDir, 'credentials.json'), `${JSON.stringify(credentials, null, 2)}\n`);
}

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { pause } from '@postmesh/concurrency';
import { INNER_SERVICES } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { serviceSetting, type SettingName, type Settings } from '@postmesh/settings';
import { writePrivateFile } from './data-dir.js';
import { readKeptJson } from './kept-json.js';

// All processes of an installation need the same values of these settings; only the main process knows all of them.
const SHARED = [
  'databaseUrl',
  'secretKeys',
  'operatorToken',
  'httpPort',
  'submissionPorts',
  'mxPort',
  'localInternet',
  'dnsServers',
  'remoteSmtpPort',
  'mtaStsPort',
  'extraCaFile',
  'allowPrivateMx',
  'linkHosts',
  'outgoingHttpAllow',
  ...INNER_SERVICES.map((service) => serviceSetting(service, 'Url')),
] as const satisfies readonly SettingName[];

const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))]);
// Another release may write more of them.
const Installation = z.record(z.string(), Value);

const MEND = 'remove it and start the process with the role accounts, which writes it';
const RETRY_MS = 200;
// A start waits as long for its database.
const WAIT_MS = 60_000;
const WATCH_MS = 1_000;

const pathIn = (dataDir: string): string => join(dataDir, 'installation.json');

/** For the other processes of the installation: the addresses of all parts, and the secrets. */
export async function publishInstallation(settings: Settings): Promise<void> {
  const shared = Object.fromEntries(SHARED.map((name) => [name, settings[name]]));
  await writePrivateFile(pathIn(settings.dataDir), `${JSON.stringify(shared, null, 2)}\n`);
}

/** Processes that start now wait until it is published again. */
export const withdrawInstallation = (dataDir: string): Promise<void> => rm(pathIn(dataDir), { force: true });

/** @returns undefined when the main process has not published it since its start */
async function readInstallation(dataDir: string): Promise<Partial<Settings> | undefined> {
  const read = await readKeptJson(pathIn(dataDir), Installation, MEND);
  const known = SHARED.filter((name) => read?.[name] !== undefined).map((name) => [name, read?.[name]]);
  return read && (Object.fromEntries(known) as Partial<Settings>);
}

/** @throws Error when the main process does not publish it within a minute */
export async function awaitInstallation(dataDir: string, logger: Logger): Promise<Partial<Settings>> {
  const until = performance.now() + WAIT_MS;
  for (let tries = 0; performance.now() < until; tries += 1) {
    const known = await readInstallation(dataDir);
    if (known) return known;
    if (tries === 0) {
      const line = { event: 'installation.awaited', data_dir: dataDir, wait_ms: WAIT_MS };
      logger.warn(line, 'waiting for the start of the process with the role accounts');
    }
    await pause(RETRY_MS);
  }
  throw new Error(`POSTMESH_ROLES: no process with the role accounts has started on ${dataDir}`);
}

/** @param changed called once, when the published settings differ from `read` @returns ends the watch */
export function watchInstallation(
  dataDir: string,
  read: Partial<Settings>,
  changed: () => void,
): () => Promise<void> {
  const known = JSON.stringify(read);
  const ending = new AbortController();
  const watch = async () => {
    while (!ending.signal.aborted) {
      // a file that cannot be read now may be readable a second later
      const now = await readInstallation(dataDir).catch(() => undefined);
      if (now && JSON.stringify(now) !== known) return changed();
      await pause(WATCH_MS, ending.signal);
    }
  };
  const watching = watch();
  return async () => {
    ending.abort();
    await watching;
  };
}

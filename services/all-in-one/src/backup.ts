import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import {
  clusterPassword,
  hasCluster,
  restoreBaseBackup,
  startEmbeddedPostgres,
  writeBaseBackup,
} from '@postmesh/database';
import { loadSettings } from '@postmesh/settings';
import { claimDataDir, writePrivateFile } from './data-dir.js';
import { readKeptJson } from './kept-json.js';

// A backup is a whole installation with the embedded PostgreSQL: its database in one folder, its keys in a file that is
// kept elsewhere (decision 80).

const DATABASE = 'database.tar.gz';
const DESCRIPTION = 'backup.json';
/** Files of the data directory with the keys for encryption and signing, and the operator's credentials. */
const KEPT = ['secrets.json', 'credentials.json'] as const;

/** `backup.json`, written last: a folder without it is an incomplete backup. */
const Backup = z.object({
  form: z.literal(1),
  /** the backup contains every transaction that was committed before */
  begun_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  postgres: z.string(),
  /** WAL position up to which the log has to be replayed */
  wal_end: z.string(),
  bytes: z.number().int(),
  sha256: z.string(),
  /** of the file with the keys */
  keys_sha256: z.string(),
  /** store of message content; every store except `postgres` is backed up by other means */
  content: z.enum(['postgres', 'filesystem', 's3']),
});
export type Backup = z.infer<typeof Backup>;

const Keys = z.object({
  database_password: z.string().min(1),
  files: z.partialRecord(z.enum(KEPT), z.string()),
});

export interface BackupPlaces {
  /** of the backup, without its keys */
  folder: string;
  /** the keys, without which no encrypted value of the backup can be read */
  keysFile: string;
  /** settings; POSTMESH_DATA_DIR names the installation */
  env: NodeJS.ProcessEnv;
}

/**
 * Copies a running or stopped installation.
 * @throws Error with a readable text
 */
export async function backUp({ folder, keysFile, env }: BackupPlaces): Promise<Backup> {
  const settings = embeddedSettings(env);
  const dataDir = resolve(settings.dataDir);
  const postgresDir = join(dataDir, 'postgres');
  if (!(await hasCluster(postgresDir))) throw new Error(`there is no database in ${dataDir}`);
  if (isWithin(folder, keysFile))
    throw new Error('the file of the keys is inside the backup: name a file outside of it');
  await makeEmpty(folder);
  const server = await startEmbeddedPostgres({ dataDir: postgresDir });
  try {
    const begunAt = new Date().toISOString();
    const keys = await readKeys(dataDir, postgresDir);
    const { bytes, sha256, walEnd } = await writeBaseBackup(server.url, join(folder, DATABASE));
    await writePrivateFile(resolve(keysFile), keys);
    const backup: Backup = {
      form: 1,
      begun_at: begunAt,
      ended_at: new Date().toISOString(),
      postgres: await majorOf(postgresDir),
      wal_end: walEnd,
      ...{ bytes, sha256, keys_sha256: sha256Of(keys), content: settings.blobStore },
    };
    await writePrivateFile(join(resolve(folder), DESCRIPTION), `${JSON.stringify(backup, null, 2)}\n`);
    return backup;
  } finally {
    // a server that was already running belongs to another process
    if (!server.adopted) await server.stop();
  }
}

/**
 * Makes a backup the installation of a data directory that has none. The next start replays the log.
 * @throws Error with a readable text; the data directory then has no database
 */
export async function restore({ folder, keysFile, env }: BackupPlaces): Promise<Backup> {
  const dataDir = resolve(embeddedSettings(env).dataDir);
  const backup = await readKeptJson(join(folder, DESCRIPTION), Backup, 'take another backup');
  if (backup === undefined) throw new Error(`${folder} is an incomplete backup: it has no ${DESCRIPTION}`);
  const keys = await readFile(keysFile, 'utf8');
  if (sha256Of(keys) !== backup.keys_sha256) throw new Error(`${keysFile} has the keys of another backup`);
  const file = join(folder, DATABASE);
  if ((await sha256OfFile(file)) !== backup.sha256) throw new Error(`${file} is damaged`);
  const claim = await claimDataDir(dataDir);
  try {
    const { database_password: password, files } = Keys.parse(JSON.parse(keys));
    await refuseOthers(dataDir, files);
    for (const [name, text] of Object.entries(files)) await writePrivateFile(join(dataDir, name), text);
    // last, because a directory with a database counts as an installation
    await restoreBaseBackup(join(dataDir, 'postgres'), { file, password });
    return backup;
  } finally {
    await claim.release();
  }
}

function embeddedSettings(env: NodeJS.ProcessEnv) {
  const settings = loadSettings(env);
  if (settings.databaseUrl !== undefined) {
    throw new Error(
      'DATABASE_URL names a PostgreSQL of yours: back it up by its own means (docs/operations.md)',
    );
  }
  return settings;
}

/** The keys of an installation that lost its database may be the only ones that open its other backups. */
async function refuseOthers(dataDir: string, files: Readonly<Record<string, string>>): Promise<void> {
  if (await hasCluster(join(dataDir, 'postgres'))) {
    throw new Error(`${dataDir} already has an installation: restore into another POSTMESH_DATA_DIR`);
  }
  for (const [name, text] of Object.entries(files)) {
    const there = await readIfThere(join(dataDir, name));
    if (there !== undefined && there !== text) {
      throw new Error(`${join(dataDir, name)} belongs to another installation: move it away first`);
    }
  }
}

async function readKeys(dataDir: string, postgresDir: string): Promise<string> {
  const files: Record<string, string> = {};
  for (const name of KEPT) {
    const text = await readIfThere(join(dataDir, name));
    if (text !== undefined) files[name] = text;
  }
  const keys = { database_password: await clusterPassword(postgresDir), files };
  return `${JSON.stringify(keys, null, 2)}\n`;
}

const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });

async function makeEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty`);
}

const isWithin = (folder: string, file: string): boolean => !relative(folder, file).startsWith('..');

const majorOf = async (postgresDir: string): Promise<string> =>
  (await readFile(join(postgresDir, 'instance', 'cluster', 'PG_VERSION'), 'utf8')).trim();

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

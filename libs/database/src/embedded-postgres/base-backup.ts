import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, constants } from 'node:zlib';
import { spawn } from 'node:child_process';
import pg from 'pg';
import { clusterPaths, isFolder, pathsIn, readPassword, syncFolder } from './cluster.js';
import { EmbeddedPostgresError } from './failure.js';

/** One archive of a whole cluster, as it is stored. */
export interface BaseBackup {
  /** of the file */
  readonly bytes: number;
  /** of the file, hexadecimal */
  readonly sha256: string;
  /** the log has to be replayed to here before the data are consistent; it is in the archive */
  readonly walEnd: string;
}

/**
 * Writes a copy of the running cluster into a file (tar, gzip): the server's own `BASE_BACKUP`, with the log that
 * makes the copy consistent. Everything that was committed before the call is in it.
 * @param url of a superuser
 * @throws Error of the server or of the disk; a part of the file may be left
 */
export async function writeBaseBackup(url: string, file: string): Promise<BaseBackup> {
  const client = new pg.Client({ connectionString: url, ...REPLICATION });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    const archive = new PassThrough();
    const written = pipeline(
      archive,
      createGzip({ level: constants.Z_BEST_SPEED }),
      async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          hash.update(piece);
          bytes += piece.length;
          yield piece;
        }
      },
      createWriteStream(file, { mode: 0o600, flush: true }),
    );
    const asked = client.query(BASE_BACKUP);
    passOn(client, archive);
    const [results] = await Promise.all([
      asked.finally(() => archive.end()),
      written.catch((error: unknown) => endWith(client, error)),
    ]);
    return { bytes, sha256: hash.digest('hex'), walEnd: endOf(results) };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Unpacks such a file as the cluster of a data folder that has none; the next `startEmbeddedPostgres` replays its log.
 * The cluster gets its name when it is whole.
 * @param password of the superuser, from `clusterPassword`
 * @throws EmbeddedPostgresError when there is a cluster, or the archive is no cluster
 */
export async function restoreBaseBackup(
  dataDir: string,
  { file, password }: { file: string; password: string },
): Promise<void> {
  const paths = clusterPaths(dataDir);
  if (await isFolder(paths.folder)) throw new EmbeddedPostgresError(`there is a database in ${paths.folder}`);
  const base = dirname(paths.folder);
  await mkdir(base, { recursive: true });
  const attempt = pathsIn(await mkdtemp(join(base, 'restore-')));
  try {
    await chmod(attempt.folder, 0o711);
    await mkdir(attempt.data, { mode: 0o700 });
    await unpack(file, attempt.data);
    await writeFile(attempt.password, `${password}\n`, { mode: 0o600, flush: true });
    await rename(attempt.folder, paths.folder);
    await syncFolder(base);
  } finally {
    await rm(attempt.folder, { recursive: true, force: true });
  }
}

/** The superuser's password of a data folder's cluster; a restored cluster has the same one. */
export const clusterPassword = (dataDir: string): Promise<string> => readPassword(clusterPaths(dataDir));

/** Whether a data folder has a cluster. */
export const hasCluster = (dataDir: string): Promise<boolean> => isFolder(clusterPaths(dataDir).folder);

// The types of the driver leave it out.
const REPLICATION = { replication: 'true', application_name: 'postmesh backup' } as pg.ClientConfig;

// https://www.postgresql.org/docs/18/protocol-replication.html: one archive, since there are no tablespaces
const BASE_BACKUP =
  "BASE_BACKUP (LABEL 'postmesh', CHECKPOINT 'fast', WAL true, MANIFEST 'no', VERIFY_CHECKSUMS true)";

const DATA = 'd'.charCodeAt(0);

/** Passes the data of `CopyData` messages on; a slow writer pauses the socket. */
function passOn(client: pg.Client, archive: PassThrough): void {
  const connection = client.connection as pg.Connection & { stream: Duplex };
  archive.on('drain', () => connection.stream.resume());
  connection.on('copyData', ({ chunk }: { chunk: Buffer }) => {
    if (chunk[0] !== DATA) return;
    // the driver uses its buffer again
    if (!archive.write(Buffer.from(chunk.subarray(1)))) connection.stream.pause();
  });
}

/** Cancels the backup: when the disk is full, the rest is of no use. */
async function endWith(client: pg.Client, error: unknown): Promise<never> {
  (client.connection as pg.Connection & { stream: Duplex }).stream.destroy();
  throw error;
}

/** Begin, tablespaces, end, and the command itself. */
function endOf(results: unknown): string {
  const [, , end] = results as pg.QueryResult<{ recptr: string }>[];
  return end?.rows[0]?.recptr ?? '';
}

/** Every system that PostgreSQL runs on has a `tar`; the start of the server sets the owners. */
async function unpack(file: string, folder: string): Promise<void> {
  const tar = spawn('tar', ['-xpf', '-', '--no-same-owner', '-C', folder], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  tar.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
  const ended = new Promise<number | null>((resolve, reject) => {
    tar.once('error', reject);
    tar.once('close', resolve);
  });
  const given = pipeline(createReadStream(file), createGunzip(), tar.stdin);
  const [code] = await Promise.all([
    ended,
    // tar may end with the archive, before it has read all of its input; its exit code reports a failure
    given.catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    }),
  ]);
  if (code !== 0) throw new EmbeddedPostgresError(`tar failed (${code}): ${said}`);
}

// @ts-check
// A backup of an installation with the embedded PostgreSQL, its restore, and the messages that were sent meanwhile.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { OperatorTrouble } from './requests.mjs';

const BUILT = new URL('../../services/all-in-one/dist/backup.js', import.meta.url).href;
/** Limit of deliveries per request. */
const BATCH = 1_000;

const OPTIONS = {
  keys: { value: 'FILE', needed: true, help: 'file for the keys, outside of the backup' },
};
const FIELDS = ['begun_at', 'ended_at', 'postgres', 'bytes', 'wal_end', 'content', 'next'];
const SEE = 'See docs/operations.md, Backup and restore.';

/** @type {import('./requests.mjs').Commands} */
export const BACKUP_COMMANDS = {
  backup: {
    usage: '<folder>',
    help: 'copy the installation in POSTMESH_DATA_DIR, database and keys, while it runs',
    about: `The folder must be empty or new. Only with the embedded PostgreSQL. ${SEE}`,
    options: OPTIONS,
    examples: ['backup /backups/2026-03-01 --keys /secret/keys-2026-03-01.json'],
    least: 1,
    most: 1,
    run: async ([folder = ''], { keys }, { env }) => {
      const backup = await call('backUp', { folder, keysFile: keys, env });
      return backup.content === 'postgres'
        ? backup
        : { ...backup, next: `copy the content of messages (${backup.content}), too` };
    },
    fields: FIELDS,
  },
  restore: {
    usage: '<folder>',
    help: 'restore a backup into POSTMESH_DATA_DIR, which must have no installation',
    about: `Messages that were sent after the backup are sent again unless the next start has POSTMESH_DELIVERY=off. ${SEE}`,
    options: OPTIONS,
    examples: ['restore /backups/2026-03-01 --keys /secret/keys-2026-03-01.json'],
    least: 1,
    most: 1,
    run: async ([folder = ''], { keys }, { env }) => ({
      ...(await call('restore', { folder, keysFile: keys, env })),
      next: 'start it with POSTMESH_DELIVERY=off, then `npx postmesh mark-sent <log>`, then start it without',
    }),
    fields: FIELDS,
  },
  'mark-sent': {
    usage: '<log file>',
    help: 'end waiting deliveries that a log records as delivered',
    about: [
      'For use after a restore, with the log of the lost installation since the backup: JSON lines, of which those of',
      '`delivery.attempted` with the outcome `delivered` count. Other deliveries are ignored, so the command may be',
      `repeated, and the log may begin earlier. ${SEE}`,
    ].join('\n'),
    least: 1,
    most: 1,
    run: async ([file = ''], _, { ask, progress }) => {
      const totals = { lines: 0, delivered: 0, ended: 0 };
      for await (const deliveries of deliveredIn(file, totals)) {
        const path = '/operator/delivery-worker/deliveries/sent';
        totals.ended += (await ask({ method: 'POST', path, body: { deliveries } })).ended;
        await progress({ done: totals.ended, unit: 'deliveries' });
      }
      return totals;
    },
    fields: ['lines', 'delivered', 'ended'],
  },
};

/**
 * @param {'backUp' | 'restore'} what @param {{ folder: string, keysFile: string, env: NodeJS.ProcessEnv }} places
 * @throws OperatorTrouble
 */
async function call(what, places) {
  const built = await import(BUILT).catch((error) => {
    throw new OperatorTrouble(`Postmesh is not built: npm run build (${error.code ?? error.message})`);
  });
  try {
    return await built[what](places);
  } catch (error) {
    throw new OperatorTrouble(error.message);
  }
}

/**
 * Deliveries that a log says were delivered, a batch at a time.
 * @param {string} file @param {{ lines: number, delivered: number }} totals counts
 * @throws OperatorTrouble
 */
async function* deliveredIn(file, totals) {
  const input = createReadStream(file);
  const failed = new Promise((_, reject) =>
    input.once('error', (error) => reject(new OperatorTrouble(`${file}: ${error.message}`))),
  );
  failed.catch(() => undefined);
  const opened = new Promise((resolve) => input.once('open', resolve));
  await Promise.race([opened, failed]);
  let batch = [];
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    totals.lines += 1;
    const delivery = readDelivered(line);
    if (delivery === undefined) continue;
    totals.delivered += 1;
    batch.push(delivery);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** @param {string} line of a log @returns {{ id: string, at: string, remote_host?: string } | undefined} */
export function readDelivered(line) {
  if (!line.includes('"delivery.attempted"')) return undefined;
  try {
    // a log collector may have added a prefix to the line
    const entry = JSON.parse(line.slice(line.indexOf('{')));
    const isDelivered = entry.event === 'delivery.attempted' && entry.outcome === 'delivered';
    if (!isDelivered || entry.sandbox === true) return undefined;
    return {
      id: entry.message_id,
      at: new Date(entry.time).toISOString(),
      ...(entry.remote_host ? { remote_host: String(entry.remote_host).slice(0, 255) } : {}),
    };
  } catch {
    // cut off where its process was killed
    return undefined;
  }
}

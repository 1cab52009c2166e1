import { randomBytes } from 'node:crypto';

/** Advisory lock of the process that stops an idle test server. */
export const WATCHER_LOCK = 727_101;

// longer than the longest run, whose templates nothing is connected to
const STALE_S = 10_800;
const PREFIX = 'pmtest';

/** `pmtest_<seconds>_<random>`: the name contains the time from which it may be swept. */
export const databaseName = (now: Date): string =>
  `${PREFIX}_${seconds(now)}_${randomBytes(6).toString('hex')}`;

/** The name of a database that others are copied from. @param key 12 hexadecimal digits: its content, and its run */
export const templateName = (now: Date, key: string): string => `${PREFIX}_${seconds(now)}_${key}`;

/** Whether this database was left behind by a run that is over. */
export function isStale(name: string, now: Date): boolean {
  const made = new RegExp(`^${PREFIX}_(\\d+)_[0-9a-f]+(_draft)?$`).exec(name)?.[1];
  return made !== undefined && seconds(now) - Number(made) > STALE_S;
}

const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000);

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @param name a setting that gives a real part, or `DISK`: a run names what it must not leave out (`tools/test.mjs`) */
export const isRequired = (name: string): boolean =>
  (process.env['POSTMESH_TEST_REQUIRES'] ?? '').split(',').includes(name);

/**
 * For suites that also run on a real Redis or Kafka when one is given.
 * @param setting what gives it, e.g. `REDIS_URL`
 * @returns the given value; undefined leaves the suite out
 * @throws Error when this run requires the real part and it is missing
 */
export function realPart<T extends string | readonly string[]>(
  setting: string,
  given: T | undefined,
): T | undefined {
  if (given !== undefined && given.length > 0) return given;
  if (isRequired(setting)) throw new Error(`${setting} must be set: this run has to meet the real part`);
  return undefined;
}

/**
 * For suites that meet a program that is not ours, wherever systems keep it. The first tier looks for none: it is the same
 * on every machine, and a later tier has these suites (`tools/test-tiers.mjs`).
 * @param setting what names its path instead, e.g. `KNOTD`
 * @returns as `realPart`
 */
export function realProgram(setting: string, name: string): string | undefined {
  if (process.env['POSTMESH_TEST_TIER'] === 'first') return realPart(setting, process.env[setting]);
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  return realPart(setting, process.env[setting] ?? found);
}

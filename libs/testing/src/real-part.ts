import { realPartsRequired } from '@postmesh/settings';

/**
 * For suites that also run on a real Redis or Kafka when one is given.
 * @param setting what gives it, e.g. `REDIS_URL`
 * @returns the given value; undefined = leave this suite out, said aloud
 * @throws Error when CI demands the real part and it is missing
 */
export function realPart<T extends string | readonly string[]>(
  setting: string,
  given: T | undefined,
): T | undefined {
  if (given !== undefined && given.length > 0) return given;
  if (realPartsRequired()) throw new Error(`${setting} must be set: this run has to meet the real part`);
  process.stderr.write(`\n  NOT RUN without ${setting}: the suite that meets the real part\n\n`);
  return undefined;
}

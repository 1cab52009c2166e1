import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The key of the tokens in the samples, and the message that they name. */
export const SAMPLE_KEY = 'a key of thirty-two characters ok';
export const SAMPLE_RECORD = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01';
export const SAMPLE_RECIPIENT = 'ann@mail.test';

const FOLDER = join(import.meta.dirname, '..', 'golden');

/** Golden messages by name: mail of real writers of reports, with invented addresses. */
export const SAMPLES: ReadonlyMap<string, Buffer> = new Map(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .map((name) => [name.slice(0, -'.eml'.length), readFileSync(join(FOLDER, name))]),
);

export function sample(name: string): Buffer {
  const found = SAMPLES.get(name);
  if (found === undefined) throw new Error(`there is no sample ${name}`);
  return found;
}

import type { z } from 'zod';
import { DnsHostError } from './dns-host.port.js';

/** @returns undefined for what is not JSON of this form */
export function readJson<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** @throws DnsHostError for an answer that the documentation of the host does not know */
export function readAnswer<T>(schema: z.ZodType<T>, text: string): T {
  const answer = readJson(schema, text);
  if (answer === undefined) throw new DnsHostError('unreachable', 'the answer is not in its documented form');
  return answer;
}

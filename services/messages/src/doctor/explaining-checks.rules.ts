import type { DoctorCheckId } from '@postmesh/domains-contract';
import { findEnhancedCode, fitsCode, linearPattern, providerOfHost } from '@postmesh/smtp-replies';
import { EXPLAINING_ROWS } from './explaining-checks.table.js';

// Read once, at the start: a pattern that could be slow stops the process then.
const ROWS = EXPLAINING_ROWS.map((row) => ({
  ...row,
  pattern: row.says === undefined ? undefined : linearPattern.parse(row.says),
}));

/** Longer replies are not searched to their end. */
const MAX_CHARS = 2_000;
const FAILED: ReadonlySet<string> = new Set(['Bounce', 'TransientFailure']);

interface RepliedAttempt {
  status: string;
  /** code and words of the reply */
  log: string;
  remoteHost: string | null;
}

/** The check of the doctor that explains the reply of an attempt; null: none does, or it did not fail by a reply. */
export function explainingCheck({ status, log, remoteHost }: RepliedAttempt): DoctorCheckId | null {
  const code = /^[45]\d\d\b/.exec(log)?.[0];
  if (!FAILED.has(status) || code === undefined) return null;
  const reply = log.slice(0, MAX_CHARS);
  const enhanced = findEnhancedCode(reply, Number(code));
  const provider = remoteHost === null ? undefined : providerOfHost(remoteHost);
  const fits = ({ provider: of, enhanced: codes, pattern }: (typeof ROWS)[number]): boolean =>
    (of === undefined || (provider !== undefined && of.includes(provider))) &&
    (codes === undefined || (enhanced !== undefined && codes.some((wanted) => fitsCode(enhanced, wanted)))) &&
    (pattern === undefined || pattern.test(reply));
  return ROWS.find(fits)?.check ?? null;
}

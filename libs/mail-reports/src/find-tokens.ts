import { readVerp } from '@postmesh/mail-format';
import type { ReportContext, ReportToken } from './report.js';

/** `b+…` and `fbl+…` as verp.ts writes them, the plus sign also as URLs and quoted-printable write it. */
const TOKEN = /(fbl|b)(?:\+|%2b|=2b)([a-z2-7]{42})(?![a-z2-7])/gi;
/** A message of forged tokens is not tried to its end. */
const MAX_TRIED = 200;

/** Tokens of ours anywhere in texts, also inside longer addresses (SRS, BATV). The signature says that they are ours. */
export function findTokens(texts: Iterable<string>, keys: ReportContext['keys']): ReportToken[] {
  const tried = new Set<string>();
  const tokens = new Map<string, ReportToken>();
  for (const text of texts) {
    for (const [, prefix = '', token = ''] of withoutSoftBreaks(text).matchAll(TOKEN)) {
      const local = `${prefix}+${token}`.toLowerCase();
      if (tried.has(local)) continue;
      if (tried.size >= MAX_TRIED) return [...tokens.values()];
      tried.add(local);
      const kind = local.startsWith('b') ? 'bounce' : 'feedback';
      const recordId = readVerp(`${local}@our.host`, keys, kind);
      if (recordId !== undefined) tokens.set(`${kind} ${recordId}`, { kind, recordId });
    }
  }
  return [...tokens.values()];
}

const withoutSoftBreaks = (text: string): string =>
  text.includes('=\n') || text.includes('=\r\n') ? text.replace(/=\r?\n/g, '') : text;

import { readVerp, textOf, type Part } from '@postmesh/mail-format';
import type { ReportContext, ReportToken } from './report.js';

/** `b+…` and `fbl+…` as verp.ts writes them, the plus sign also as URLs, HTML and quoted-printable write it. */
const TOKEN = /(fbl|b)(?:\+|%2b|=2b|&#43;|&plus;)([a-z2-7]{42})(?![a-z2-7])/gi;
/** Limit of checked tokens, for messages with forged ones. */
const MAX_TRIED = 200;
/** Limit of one text, and of all texts of a message together: tokens are in headers, texts only quote them. */
const MAX_TEXT_BYTES = 512 * 1024;
const MAX_ALL_CHARS = 4 * 1024 * 1024;

/**
 * Tokens of ours anywhere in a message and its enclosed ones, also inside longer addresses (SRS, BATV). Their signature
 * proves that they are ours.
 */
export function findTokens(root: Part, keys: ReportContext['keys']): ReportToken[] {
  const tried = new Set<string>();
  const tokens = new Map<string, ReportToken>();
  for (const text of textsOf(root)) {
    for (const [, prefix = '', token = ''] of withoutSoftBreaks(text).matchAll(TOKEN)) {
      const local = `${prefix}+${token}`.toLowerCase();
      if (tried.has(local)) continue;
      if (tried.size >= MAX_TRIED) return [...tokens.values()];
      tried.add(local);
      const kind = local.startsWith('b') ? 'bounce' : 'feedback';
      const recordId = readVerp(`${local}@our.host`, keys, kind);
      if (recordId !== undefined) tokens.set(local, { kind, recordId });
    }
  }
  return [...tokens.values()];
}

/** Headers of every part first: a long text must not hide them. */
function* textsOf(root: Part): Generator<string> {
  const parts = allParts(root);
  for (const { fields } of parts) yield fields.list.map(({ value }) => value).join('\n');
  let left = MAX_ALL_CHARS;
  for (const part of parts.filter(isText)) {
    const text = textOf(part, Math.min(MAX_TEXT_BYTES, left));
    left -= text.length;
    yield text;
    if (left <= 0) return;
  }
}

function allParts(part: Part): Part[] {
  return [
    part,
    ...part.parts.flatMap(allParts),
    ...(part.enclosed === undefined ? [] : allParts(part.enclosed)),
  ];
}

const isText = ({ type, parts, enclosed }: Part): boolean =>
  parts.length === 0 && enclosed === undefined && /^(?:text|message)\//.test(type);

const withoutSoftBreaks = (text: string): string =>
  text.includes('=\n') || text.includes('=\r\n') ? text.replace(/=\r?\n/g, '') : text;

/** The searchable fields of a message. */
export interface SearchedMessage {
  domain: string;
  sender: string;
  recipient: string;
  subject: string;
  tags: readonly string[];
}

/** Filters with tokens; all of them must match. */
export interface WantedTokens {
  /** any of them; undefined = all */
  domains?: readonly string[] | undefined;
  sender?: string | undefined;
  recipient?: string | undefined;
  /** part of the subject, folded */
  subject?: string | undefined;
  /** any of them */
  tags?: readonly string[] | undefined;
  /** any of them, in their stored form */
  statuses?: readonly string[] | undefined;
}

/**
 * One condition on a segment: the position has at least one of the tokens. `prefix`: any token with that prefix;
 * `hash`: only positions of the token with that hash.
 */
export interface TokenGroup {
  tokens?: readonly string[];
  prefix?: string;
  hash?: number;
}

// Together with a hash of 16 bits, one of four million addresses is a false match; the row decides.
const RECIPIENT_BUCKETS = 64;
const GRAM = 3;

/** Case-folded and with composed characters: subject and searched part are compared in this form. */
export const foldSubject = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');

export const domainToken = (domain: string): string => `d${domain}`;
export const senderToken = (sender: string): string => `s${sender.toLowerCase()}`;
export const tagToken = (tag: string): string => `t${tag}`;
export const statusToken = (status: string): string => `x${status}`;
const gramToken = (gram: string): string => `g${gram}`;

/** Recipients are nearly all different: 64 tokens per segment, with a hash at each position, replace thousands. */
export function recipientToken(recipient: string): { token: string; hash: number } {
  const hash = fnv1a(recipient.toLowerCase());
  return { token: `r${hash % RECIPIENT_BUCKETS}`, hash: hash >>> 16 };
}

/**
 * Every sequence of three characters; at the end also the last two and the last one, so that each sequence of one or
 * two characters begins a token.
 */
export function subjectTokens(subject: string): string[] {
  const text = foldSubject(subject);
  // an array of characters is needed only for surrogate pairs, and costs as much as all the rest
  const characters = SURROGATE.test(text) ? [...text] : undefined;
  const tokens = new Set<string>();
  for (let at = 0; at < (characters ?? text).length; at++) {
    tokens.add(gramToken(characters?.slice(at, at + GRAM).join('') ?? text.slice(at, at + GRAM)));
  }
  return [...tokens];
}

const SURROGATE = /[\ud800-\udfff]/;

/** The conditions of a search. The first tokens are enough for a long part of a subject: the row decides. */
export function tokenGroups(wanted: WantedTokens): TokenGroup[] {
  const groups: TokenGroup[] = [];
  if (wanted.domains) groups.push({ tokens: wanted.domains.map(domainToken) });
  if (wanted.sender !== undefined) groups.push({ tokens: [senderToken(wanted.sender)] });
  if (wanted.statuses) groups.push({ tokens: wanted.statuses.map(statusToken) });
  if (wanted.tags) groups.push({ tokens: wanted.tags.map(tagToken) });
  if (wanted.recipient !== undefined) {
    const { token, hash } = recipientToken(wanted.recipient);
    groups.push({ tokens: [token], hash });
  }
  if (wanted.subject !== undefined) groups.push(...subjectGroups(wanted.subject));
  return groups;
}

const MAX_SUBJECT_GROUPS = 24;

function subjectGroups(part: string): TokenGroup[] {
  const characters = [...part];
  if (characters.length < GRAM) return [{ prefix: gramToken(part) }];
  const grams = characters.slice(0, 1 - GRAM).map((_, at) => characters.slice(at, at + GRAM).join(''));
  return [...new Set(grams)].slice(0, MAX_SUBJECT_GROUPS).map((gram) => ({ tokens: [gramToken(gram)] }));
}

/** FNV-1a over UTF-16 units, 32 bits. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

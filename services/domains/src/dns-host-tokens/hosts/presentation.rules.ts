// The text of records in zone files (RFC 1035 §5.1), in which hosts give and take them.

const MAX_STRING = 255;
/** A quoted string, or a word. */
const STRING = /"((?:[^"\\]|\\.)*)"|([^\s"]+)/g;

/** The text behind `"a" "b"`, or behind a text without quotes, which some hosts give. */
function readText(given: string): string {
  const text = given.trim();
  if (!text.startsWith('"')) return text;
  return [...text.matchAll(STRING)].map(([, quoted, word]) => unescaped(quoted ?? word ?? '')).join('');
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\(\d{3}|.)/g, (_, escaped: string) =>
    escaped.length === 3 ? String.fromCharCode(Number(escaped)) : escaped,
  );

/** @param text in ASCII, as all of ours are */
export function quoteText(text: string): string {
  const strings = text.match(new RegExp(`.{1,${MAX_STRING}}`, 'gs')) ?? [''];
  return strings.map((part) => `"${part.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`).join(' ');
}

export const plainName = (name: string): string => name.replace(/\.$/, '').toLowerCase();

/** The comparable content of a record in the form of a zone file. */
export function readContent(type: string, raw: string): string {
  if (type === 'TXT') return readText(raw);
  if (type === 'CNAME') return plainName(raw);
  if (type !== 'MX') return raw;
  const [preference = '', host = ''] = raw.trim().split(/\s+/);
  return `${preference} ${plainName(host)}`;
}

/** A record of ours as in a zone file, with absolute names. */
export const writeContent = (type: 'TXT' | 'CNAME' | 'MX', content: string): string =>
  type === 'TXT' ? quoteText(content) : `${content}.`;

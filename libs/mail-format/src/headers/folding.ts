// RFC 5322 §2.1.1: lines should stay within 78 characters.
const MAX_LINE = 78;

/**
 * Folds one header line (`Name: value`, without CRLF at its end) at blanks. Unfolding returns the same text: CRLF goes
 * before a blank, and never so that a line would hold nothing but blanks. Folded text (it has CRLF) keeps its folds.
 * @param limit characters of a line, where there is a blank to fold at
 */
export function foldHeader(line: string, limit = MAX_LINE): string {
  if (line.length <= limit) return line;
  return line
    .split('\r\n')
    .map((part) => (part.length <= limit ? part : foldPart(part, limit)))
    .join('\r\n');
}

function foldPart(part: string, limit: number): string {
  const lines: string[] = [];
  let start = 0;
  while (part.length - start > limit) {
    const at = foldingPoint(part, start, limit);
    if (at === undefined) break;
    lines.push(part.slice(start, at));
    start = at;
  }
  lines.push(part.slice(start));
  return lines.join('\r\n');
}

/** The last blank within the line with words on both sides, or else the first such one after it. */
function foldingPoint(part: string, start: number, limit: number): number | undefined {
  let firstWord = start;
  while (isBlank(part, firstWord)) firstWord++;
  for (let at = start + limit; at > firstWord; at--) if (mayFold(part, at)) return at;
  for (let at = start + limit + 1; at < part.length; at++) if (mayFold(part, at)) return at;
  return undefined;
}

function mayFold(part: string, at: number): boolean {
  // A run of blanks goes to the next line as a whole: relays strip blanks at the end of a line.
  if (!isBlank(part, at) || isBlank(part, at - 1) || at + 1 >= part.length) return false;
  // The value must not begin on the line after `Name:`: many readers take such a field as empty.
  return part[at - 1] !== ':' || part.indexOf(':') !== at - 1;
}

function isBlank(part: string, at: number): boolean {
  const character = part.charCodeAt(at);
  return character === 0x20 || character === 0x09;
}

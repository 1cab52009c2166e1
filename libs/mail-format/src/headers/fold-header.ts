// RFC 5322 §2.1.1: lines should stay within 78 characters.
const LINE = 78;

/**
 * Folds one header line (`Name: value`, without CRLF at its end) at blanks. Unfolding gives the same text
 * back: CRLF goes before a blank, and never so that a line would hold nothing but blanks.
 * Text that is folded already (it has CRLF) keeps its folds.
 */
export function foldHeader(line: string): string {
  if (line.length <= LINE) return line;
  return line
    .split('\r\n')
    .map((part) => (part.length <= LINE ? part : foldPart(part)))
    .join('\r\n');
}

function foldPart(part: string): string {
  const lines: string[] = [];
  let start = 0;
  while (part.length - start > LINE) {
    const at = foldingPoint(part, start);
    if (at === undefined) break;
    lines.push(part.slice(start, at));
    start = at;
  }
  lines.push(part.slice(start));
  return lines.join('\r\n');
}

/** The last blank within the line, or else the first one after it, with words on both its sides. */
function foldingPoint(part: string, start: number): number | undefined {
  let firstWord = start;
  while (isBlank(part, firstWord)) firstWord++;
  for (let at = start + LINE; at > firstWord; at--) if (mayFold(part, at)) return at;
  for (let at = start + LINE + 1; at < part.length; at++) if (mayFold(part, at)) return at;
  return undefined;
}

function mayFold(part: string, at: number): boolean {
  // The whole run of blanks goes to the next line: blanks at the end of a line get lost on the way.
  if (!isBlank(part, at) || isBlank(part, at - 1) || at + 1 >= part.length) return false;
  // Behind `Name:` the value must not begin on the next line: many readers take such a field as empty.
  return part[at - 1] !== ':' || part.indexOf(':') !== at - 1;
}

function isBlank(part: string, at: number): boolean {
  const character = part.charCodeAt(at);
  return character === 0x20 || character === 0x09;
}

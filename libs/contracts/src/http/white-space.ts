const WHITE_SPACE = /^\p{White_Space}$/u;

/**
 * A text without leading and trailing white space as Unicode defines it (spec 3-marketing §0 rule 7). `String.trim` leaves
 * U+0085 and removes U+FEFF, which is no white space.
 */
export function trimText(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isWhiteSpace(text, from)) from += 1;
  while (to > from && isWhiteSpace(text, to - 1)) to -= 1;
  return text.slice(from, to);
}

/** A body may hold 30 MB of blanks: ASCII, which is nearly all text, needs no regular expression. */
function isWhiteSpace(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return WHITE_SPACE.test(text.charAt(at));
}

/** Whether a text is empty after trimming. */
export const isBlank = (text: string): boolean => trimText(text) === '';

const WHITE_SPACE = /^\p{White_Space}$/u;

/**
 * A text without leading and trailing white space as Unicode defines it (spec 3-marketing §0 rule 7). `String.trim` leaves
 * U+0085 and removes U+FEFF, which is no white space.
 */
export function trimText(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && WHITE_SPACE.test(text.charAt(from))) from += 1;
  while (to > from && WHITE_SPACE.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** Whether a text is empty after trimming. */
export const isBlank = (text: string): boolean => trimText(text) === '';

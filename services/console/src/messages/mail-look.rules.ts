export type Look = 'light' | 'dark';

const PREFERENCE = /\(\s{0,20}prefers-color-scheme\s{0,20}:\s{0,20}(dark|light)\s{0,20}\)/gi;
const BOTH = /(\bcolor-scheme\s{0,20}:\s{0,20})(?:light\s{1,20}dark|dark\s{1,20}light)\b/gi;
const META =
  /(<meta\b[^<>]{0,200}\bname\s{0,20}=\s{0,20}["']?(?:supported-)?color-schemes?["']?[^<>]{0,200}\bcontent\s{0,20}=\s{0,20}["'])(?:light\s{1,20}dark|dark\s{1,20}light)(["'])/gi;

/**
 * The mail as a program with this look shows it: its own styles for `prefers-color-scheme` are decided here, since a frame
 * follows the system of the reader. Programs that invert colors by themselves are not imitated.
 */
export const inLook = (html: string, look: Look): string =>
  html
    .replaceAll(PREFERENCE, (_, wanted: string) =>
      wanted.toLowerCase() === look ? '(min-width: 0px)' : '(max-width: 0px)',
    )
    .replaceAll(BOTH, `$1${look}`)
    .replaceAll(META, `$1${look}$2`);

/** Whether a program with a dark look finds styles for it. */
export const hasDarkLook = (html: string): boolean =>
  /prefers-color-scheme\s{0,20}:\s{0,20}dark|\bcolor-schemes?\b[^<>;]{0,100}\bdark\b/i.test(html);

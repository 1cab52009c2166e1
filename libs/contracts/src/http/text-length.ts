/**
 * Whether a text has more characters than the limit (spec 1-platform §1.2: characters, not UTF-16 units). A body may hold
 * 30 MB of text, so the characters are counted only when the limit may be reached.
 */
export function isLongerThan(text: string, characters: number): boolean {
  // a character has one or two units
  if (text.length <= characters) return false;
  return text.length > 2 * characters || [...text].length > characters;
}

/**
 * Marks of writing direction (U+061C, U+200E/F, U+202A-E, U+2066-9) show `cod.exe` as `exe.doc`; the others are
 * invisible, or end a line. Joiners (U+200C/D) stay: words of some scripts, and emoji, need them.
 */
const UNSEEN =
  // eslint-disable-next-line no-control-regex
  /[\p{Bidi_Control}\u0080-\u009f\u00ad\u180e\u200b\u2028\u2029\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** A file name without invisible characters: its bytes are the shown name. */
export const plainFileName = (name: string): string => name.replaceAll(UNSEEN, '');

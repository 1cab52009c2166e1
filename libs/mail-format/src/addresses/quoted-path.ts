// No control characters: other input is left to the server, which refuses it.
const QUOTED_PATH = /^((?:MAIL FROM|RCPT TO):\s*<)("(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*")(@.*)$/isu;
const MASK = 'quoted';

/**
 * A MAIL or RCPT command whose path has a quoted local part (RFC 5321 §4.1.2), for servers that split commands at
 * blanks, colons and `@`, which are allowed between the quotes.
 * @returns the command with a local part without these, and a function that puts the given one back into an address;
 * undefined without quotes
 */
export function maskQuotedPath(
  command: string,
): { readonly command: string; unmask(address: string): string } | undefined {
  const [, before, localPart, after] = QUOTED_PATH.exec(command) ?? [];
  if (before === undefined || localPart === undefined || after === undefined) return undefined;
  return {
    command: `${before}${MASK}${after}`,
    unmask: (address) => (address.startsWith(MASK) ? `${localPart}${address.slice(MASK.length)}` : address),
  };
}

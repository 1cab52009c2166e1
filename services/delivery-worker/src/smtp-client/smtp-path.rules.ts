// RFC 5321 §4.5.3.1.3: 256 octets with the angle brackets.
const LONGEST_PATH = 254;

/**
 * Whether an address may be written between the angle brackets of MAIL or RCPT. Whoever stored it has checked it;
 * this is the last look before the wire, so it is strict: nothing that ends a command, a path or a parameter.
 */
export function isSafePath(address: string): boolean {
  return (
    Buffer.byteLength(address) <= LONGEST_PATH &&
    /^[^\s<>\p{C}\p{Z}@][^\s<>\p{C}\p{Z}]*@[^\s<>\p{C}\p{Z}@]+$/u.test(address)
  );
}

/** RFC 6531: only a server with SMTPUTF8 can take it. */
export function needsSmtpUtf8(address: string): boolean {
  return /[^\x00-\x7f]/.test(address); // eslint-disable-line no-control-regex
}

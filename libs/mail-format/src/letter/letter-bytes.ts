import type { Letter } from './letter-content.js';

const CRLF = Buffer.from('\r\n', 'latin1');

/**
 * The letter as it goes over the wire (before dot-stuffing), in order, without copying its body.
 * @param above header fields to put on top, each ended by CRLF: signatures, Return-Path, Received
 */
export function letterBytes(letter: Letter, above: readonly Buffer[] = []): Buffer[] {
  return [...above, letter.headers, CRLF, ...letter.body];
}

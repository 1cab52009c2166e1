import type { Message } from './message-content.js';

const CRLF = Buffer.from('\r\n', 'latin1');

/**
 * The message as it goes over the wire (before dot-stuffing), in order, without copying its body.
 * @param above header fields to put on top, each ended by CRLF: signatures, Return-Path, Received
 */
export function messageBytes(message: Message, above: readonly Buffer[] = []): Buffer[] {
  return [...above, message.headers, CRLF, ...message.body];
}

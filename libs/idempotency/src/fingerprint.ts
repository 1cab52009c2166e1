import { createHash, webcrypto } from 'node:crypto';

// SHA-256 of this much takes about half a millisecond; more would hold up every other request.
const MAIN_THREAD_BYTES = 256 * 1024;

/**
 * The identity of a request (spec 1-platform §4.2.2): SHA-256 over method, path and the SHA-256 of the raw
 * body bytes. The body is hashed by itself so that a large one is not copied to stand behind the path.
 * @param path resolved, with ids; a query string is left out
 */
export async function fingerprint(method: string, path: string, rawBody: Uint8Array): Promise<Buffer> {
  const body =
    rawBody.byteLength > MAIN_THREAD_BYTES
      ? Buffer.from(await webcrypto.subtle.digest('SHA-256', rawBody))
      : createHash('sha256').update(rawBody).digest();
  const resolved = path.split('?', 1)[0] ?? '';
  // neither a method nor a path can hold a line feed, so the three parts cannot run into each other
  return createHash('sha256').update(`${method.toUpperCase()}\n${resolved}\n`).update(body).digest();
}

import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { ApiErrors } from '@postmesh/contracts';
import type { Exchange } from '../http-api/exchange.js';
import { chooseEncoding, type Encoding } from './accept-encoding.rules.js';

/** One file in one encoding. */
interface Representation {
  readonly bytes: Buffer;
  readonly etag: string;
}

export interface StaticFile {
  readonly contentType: string;
  readonly encodings: Readonly<Partial<Record<Encoding, Representation>>> & {
    readonly identity: Representation;
  };
}

const METHODS = ['GET', 'HEAD'];

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.md': 'text/markdown; charset=utf-8',
  '.json': 'application/json',
};

/** Whether files of this name are served. */
export const isServed = (name: string): boolean => !name.startsWith('.') && extname(name) in TYPES;

/** A strong validator: equal bytes have the same one in every process. */
export const etagOf = (bytes: Buffer): string => `"${hash('sha256', bytes, 'base64url')}"`;

/** Whether the client has this version already (RFC 9110 §13.1.2, weak comparison). */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const given = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return given.includes('*') || given.includes(etag);
}

const representationOf = (bytes: Buffer): Representation => ({ bytes, etag: etagOf(bytes) });

export const staticFileOf = (contentType: string, text: string): StaticFile => ({
  contentType,
  encodings: { identity: representationOf(Buffer.from(text)) },
});

/** A built file, with what its build has compressed: `<file>.br` and `<file>.gz`. */
export function readStaticFile(path: string): StaticFile {
  const read = (from: string): Representation => representationOf(readFileSync(from));
  return {
    contentType: TYPES[extname(path)] ?? 'application/octet-stream',
    encodings: {
      identity: read(path),
      ...(existsSync(`${path}.br`) ? { br: read(`${path}.br`) } : {}),
      ...(existsSync(`${path}.gz`) ? { gzip: read(`${path}.gz`) } : {}),
    },
  };
}

/**
 * Sends a file in the best encoding of the client, or 304 to one that has it.
 * @param headers may replace `cache-control`: by default a file is revalidated each time
 * @throws ApiError 405
 */
export function sendStaticFile(
  { request, response }: Pick<Exchange, 'request' | 'response'>,
  { contentType, encodings }: StaticFile,
  headers: Readonly<Record<string, string>> = {},
): void {
  checkMethod(request);
  const encoding = chooseEncoding(request.headers['accept-encoding'], (one) => one in encodings);
  const { bytes, etag } = encodings[encoding] ?? encodings.identity;
  const known = isKnown(request.headers['if-none-match'], etag);
  response.writeHead(known ? 304 : 200, {
    'cache-control': 'no-cache',
    etag,
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
    ...headers,
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    ...(known ? {} : { 'content-type': contentType, 'content-length': bytes.length }),
  });
  response.end(known || request.method === 'HEAD' ? undefined : bytes);
}

/** @throws ApiError 405 */
export function checkMethod({ method = '' }: Exchange['request']): void {
  if (!METHODS.includes(method)) throw ApiErrors.methodNotAllowed(METHODS);
}

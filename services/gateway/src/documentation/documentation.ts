import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ApiErrors } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { Exchange } from '../http-api/exchange.js';
import { referencePages, type StaticPage } from './reference-page.js';
import { readApiDocument, type ApiDocument } from '../openapi/open-api.js';

const METHODS = ['GET', 'HEAD'];

/** Serves the API document and its reference pages: without a key, the same for every client. */
@Injectable()
export class Documentation {
  private readonly pages: ReadonlyMap<string, StaticPage & { readonly etag: string }>;

  constructor(@Inject(SETTINGS) settings: Settings) {
    // a port chosen by the system (0) is not known yet
    const local = settings.httpPort > 0 ? `http://localhost:${settings.httpPort}` : undefined;
    const baseUrl = settings.baseUrl ?? local;
    const pages: Record<string, StaticPage> = {
      '/openapi.json': pageOf(readApiDocument(baseUrl)),
      ...(settings.console && { '/console/api/openapi.json': pageOf(readApiDocument(baseUrl, 'console')) }),
      ...referencePages(),
    };
    this.pages = new Map(
      Object.entries(pages).map(([path, page]) => [path, { ...page, etag: etagOf(page.bytes) }]),
    );
  }

  has(path: string): boolean {
    return this.pages.has(path);
  }

  /** Sends the page of a path that it has. @throws ApiError 405 */
  serve({ path, request, response }: Exchange): void {
    const page = this.pages.get(path);
    if (!page) throw ApiErrors.unknownPath();
    if (!METHODS.includes(request.method ?? '')) throw ApiErrors.methodNotAllowed(METHODS);
    const known = isKnown(request.headers['if-none-match'], page.etag);
    response.writeHead(known ? 304 : 200, {
      // revalidated each time, and sent again when a release has changed it
      'cache-control': 'no-cache',
      etag: page.etag,
      'x-content-type-options': 'nosniff',
      ...page.headers,
      ...(known ? {} : { 'content-type': page.contentType, 'content-length': page.bytes.length }),
    });
    response.end(known || request.method === 'HEAD' ? undefined : page.bytes);
  }
}

const pageOf = (document: ApiDocument): StaticPage => ({
  contentType: 'application/json',
  bytes: Buffer.from(JSON.stringify(document)),
});

/** A strong validator: equal bytes have the same one in every process. */
export const etagOf = (bytes: Buffer): string => `"${hash('sha256', bytes, 'base64url')}"`;

/** Whether the client has this version already (RFC 9110 §13.1.2, weak comparison). */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const given = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return given.includes('*') || given.includes(etag);
}

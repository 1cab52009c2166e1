import { Inject, Injectable } from '@nestjs/common';
import { ApiErrors } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { Exchange } from '../http-api/exchange.js';
import { readApiDocument, type ApiDocument } from '../openapi/open-api.js';
import { sendStaticFile, staticFileOf, type StaticFile } from '../static-files/static-file.js';
import { markdownReference } from './markdown-reference.js';
import { SitePages } from './site-pages.js';
import { PAGE_HEADERS, REFERENCE_DIST, referencePages } from './reference-page.js';

const MARKDOWN = 'text/markdown; charset=utf-8';

/** Serves the API document and its reference pages: without a key, the same for every client. */
@Injectable()
export class Documentation {
  private readonly files: ReadonlyMap<string, StaticFile>;

  constructor(@Inject(SETTINGS) settings: Settings, @Inject(LOGGER) logger: Logger, site: SitePages) {
    // a port chosen by the system (0) is not known yet
    const local = settings.httpPort > 0 ? `http://localhost:${settings.httpPort}` : undefined;
    const baseUrl = settings.baseUrl ?? local;
    const pages = referencePages(REFERENCE_DIST, settings);
    if (Object.keys(pages).length === 0)
      logger.warn(
        { folder: REFERENCE_DIST },
        'the reference is not built: /docs answers 404 until `npm start` has built it',
      );
    const api = readApiDocument(baseUrl);
    const markdown = [...markdownReference(api, site.sections)].map(([path, text]): [string, StaticFile] => [
      path,
      staticFileOf(MARKDOWN, text),
    ]);
    this.files = new Map(
      Object.entries({
        ...Object.fromEntries(markdown),
        '/openapi.json': fileOf(api),
        ...(settings.console && { '/console/api/openapi.json': fileOf(readApiDocument(baseUrl, 'console')) }),
        ...pages,
      }),
    );
  }

  has(path: string): boolean {
    return this.files.has(path);
  }

  /** Sends the file of a path that it has. @throws ApiError 405 */
  serve(exchange: Exchange): void {
    const file = this.files.get(exchange.path);
    if (!file) throw ApiErrors.unknownPath();
    sendStaticFile(exchange, file, file.contentType.startsWith('text/html') ? PAGE_HEADERS : {});
  }
}

const fileOf = (document: ApiDocument): StaticFile =>
  staticFileOf('application/json', JSON.stringify(document));

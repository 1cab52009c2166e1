import { Inject, Injectable } from '@nestjs/common';
import { ApiErrors } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { isKnown } from '../documentation/documentation.js';
import type { Exchange } from '../http-api/exchange.js';
import { chooseEncoding } from './accept-encoding.rules.js';
import { CONSOLE_DIST, readConsoleFiles, type ConsoleFile } from './console-files.js';
import { policyOf } from './console-policy.js';

const ROOT = '/console';
/** The back end of the console: JSON, and no files. */
const BACK_END = `${ROOT}/api`;
/** The pages of members, on the public port, and those of operators, on theirs. */
const INDEX = 'index.html';
const OPERATOR_INDEX = 'operator.html';
const METHODS = ['GET', 'HEAD'];

/** Where the built console is; a test serves another folder. */
const CONSOLE_FOLDER = Symbol('CONSOLE_FOLDER');

type Files = ReadonlyMap<string, ConsoleFile>;

/**
 * Serves the built console below `/console/`: files with a hash in their name are kept by
 * browsers for a year, the others are revalidated each time. A path without a file is a route of the page.
 */
class BuiltPages {
  constructor(
    private readonly files: Files,
    private readonly index: string,
  ) {}

  get areNone(): boolean {
    return this.files.size === 0;
  }

  has(path: string): boolean {
    // every request of the API comes by here
    if (!path.startsWith(ROOT) || this.files.size === 0) return false;
    return isBelow(path, ROOT) && !isBelow(path, BACK_END);
  }

  /** @throws ApiError 404 for a file that does not exist, 405 */
  serve({ path, request, response }: Pick<Exchange, 'path' | 'request' | 'response'>): void {
    if (!METHODS.includes(request.method ?? '')) throw ApiErrors.methodNotAllowed(METHODS);
    if (path === ROOT) {
      response.writeHead(308, { location: `${ROOT}/`, 'content-length': 0 }).end();
      return;
    }
    const name = this.nameOf(path.slice(ROOT.length + 1));
    const file = this.files.get(name);
    if (!file) throw ApiErrors.unknownPath();
    const encoding = chooseEncoding(request.headers['accept-encoding'], (one) => one in file.encodings);
    const { bytes, etag } = file.encodings[encoding] ?? file.encodings.identity;
    const known = isKnown(request.headers['if-none-match'], etag);
    const isPage = name.endsWith('.html');
    response.writeHead(known ? 304 : 200, {
      'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag,
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      ...(isPage ? pageHeaders(name, name === this.index) : {}),
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
      ...(known ? {} : { 'content-type': file.contentType, 'content-length': bytes.length }),
    });
    response.end(known || request.method === 'HEAD' ? undefined : bytes);
  }

  /** A path whose last part has no ending is a route of the page; so is one with an address or a domain in it. */
  private nameOf(path: string): string {
    if (this.files.has(path) && path !== INDEX && path !== OPERATOR_INDEX) return path;
    return path.startsWith('assets/') ? path : this.index;
  }
}

/** The pages of members. */
@Injectable()
export class ConsolePages extends BuiltPages {
  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) logger: Logger,
    @Inject(CONSOLE_FOLDER) folder: string,
  ) {
    super(filesOf(settings, folder), INDEX);
    if (settings.console && this.areNone)
      logger.warn(
        { folder },
        'the console is not built: /console/ answers 404 until `npm start` has built it',
      );
  }
}

/** The pages of operators, of the same build (decision 121). */
export class OperatorPages extends BuiltPages {
  constructor(settings: Pick<Settings, 'console'>, folder = CONSOLE_DIST) {
    super(filesOf(settings, folder), OPERATOR_INDEX);
  }
}

const filesOf = (settings: Pick<Settings, 'console'>, folder: string): Files =>
  settings.console ? readConsoleFiles(folder) : new Map();

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

const pageHeaders = (name: string, isIndex: boolean): Record<string, string> => ({
  'content-security-policy': policyOf(name),
  'referrer-policy': 'same-origin',
  ...(isIndex ? { 'cross-origin-opener-policy': 'same-origin' } : {}),
});

export const CONSOLE_FOLDER_PROVIDER = { provide: CONSOLE_FOLDER, useValue: CONSOLE_DIST };

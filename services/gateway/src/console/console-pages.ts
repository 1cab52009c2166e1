import { Inject, Injectable } from '@nestjs/common';
import { ApiErrors } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { Exchange } from '../http-api/exchange.js';
import { checkMethod, sendStaticFile } from '../static-files/static-file.js';
import { CONSOLE_DIST, readConsoleFiles, type ConsoleFile } from './console-files.js';
import { policyOf } from './console-policy.js';

const ROOT = '/console';
/** The back end of the console: JSON, and no files. */
const BACK_END = `${ROOT}/api`;
/** The pages of members, on the public port, and those of operators, on theirs. */
const INDEX = 'index.html';
const OPERATOR_INDEX = 'operator.html';

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
    checkMethod(request);
    if (path === ROOT) {
      response.writeHead(308, { location: `${ROOT}/`, 'content-length': 0 }).end();
      return;
    }
    const name = this.nameOf(path.slice(ROOT.length + 1));
    const file = this.files.get(name);
    if (!file) throw ApiErrors.unknownPath();
    sendStaticFile({ request, response }, file, {
      ...(file.immutable ? { 'cache-control': 'public, max-age=31536000, immutable' } : {}),
      ...(name.endsWith('.html') ? pageHeaders(name, name === this.index) : {}),
    });
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

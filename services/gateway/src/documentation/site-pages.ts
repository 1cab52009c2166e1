import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError, ApiErrors } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { z } from 'zod';
import type { Exchange } from '../http-api/exchange.js';
import {
  checkMethod,
  isServed,
  readStaticFile,
  sendStaticFile,
  type StaticFile,
} from '../static-files/static-file.js';

const ROOT = '/console/docs';
/** The pages by section, written by the build of the site. */
const SECTIONS = 'sections.json';

/** Where the built documentation is; a test serves another folder. */
const SITE_FOLDER = Symbol('SITE_FOLDER');
const SITE_DIST = fileURLToPath(new URL('../../../../site/dist/', import.meta.url));

/**
 * Everything from this origin. The framework of the theme writes HTML of its own pages by a policy named `vue`. The hash is that of
 * the one style element that the theme makes: no transitions while light and dark change.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'sha256-skqujXORqzxt1aE0NNXxujEanPTX6raoqSscTV/Ww/Y='",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types vue',
].join('; ');

const sectionsSchema = z.array(
  z.object({
    title: z.string(),
    pages: z.array(z.object({ path: z.string(), title: z.string(), about: z.string() })),
  }),
);
export type SiteSection = z.infer<typeof sectionsSchema>[number];

/**
 * Serves the documentation that `npm run site` has built, below `/console/docs/` (decision 142). Files are read when they are first
 * asked for: most of some hundred never are.
 */
@Injectable()
export class SitePages {
  private readonly paths: ReadonlyMap<string, string>;
  private readonly read = new Map<string, StaticFile>();
  readonly sections: readonly SiteSection[];

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(SITE_FOLDER) folder: string,
  ) {
    this.paths = settings.console ? filesIn(folder) : new Map();
    const sections = this.paths.get(SECTIONS);
    this.sections =
      sections === undefined ? [] : sectionsSchema.parse(JSON.parse(readFileSync(sections, 'utf8')));
  }

  has(path: string): boolean {
    return path.startsWith(ROOT) && this.settings.console && (path === ROOT || path[ROOT.length] === '/');
  }

  /** @throws ApiError 404 for a page that does not exist, 405 */
  serve({ path, request, response }: Pick<Exchange, 'path' | 'request' | 'response'>): void {
    checkMethod(request);
    if (this.paths.size === 0)
      throw new ApiError(404, 'the documentation is not built, `npm run site` builds it');
    const name = path.slice(ROOT.length + 1);
    // relative links of a first page need the slash
    if (path === ROOT || this.paths.has(`${name}/index.html`)) {
      response.writeHead(308, { location: `${path}/`, 'content-length': 0 }).end();
      return;
    }
    const found = [name, `${name}.html`, `${name}index.html`].find((each) => this.paths.has(each));
    if (found === undefined || found === SECTIONS) throw ApiErrors.unknownPath();
    sendStaticFile({ request, response }, this.fileOf(found), {
      ...(found.startsWith('assets/') ? { 'cache-control': 'public, max-age=31536000, immutable' } : {}),
      ...(found.endsWith('.html')
        ? { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' }
        : {}),
    });
  }

  private fileOf(name: string): StaticFile {
    const file = this.read.get(name) ?? readStaticFile(this.paths.get(name) ?? '');
    this.read.set(name, file);
    return file;
  }
}

/** @returns files by path below the folder; empty when nothing was built */
function filesIn(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(join(folder, 'index.html'))) return new Map();
  return new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && isServed(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(folder, file).split(sep).join('/'), file]),
  );
}

export const SITE_FOLDER_PROVIDER = { provide: SITE_FOLDER, useValue: SITE_DIST };

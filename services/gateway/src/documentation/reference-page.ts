import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readStaticFile, staticFileOf, type StaticFile } from '../static-files/static-file.js';

/** Where the build of the console writes the reference: Redoc and samples of five languages (decision 125). */
export const REFERENCE_DIST = fileURLToPath(new URL('../../../console/dist/reference/', import.meta.url));
const SCRIPT = 'reference.js';
const STYLES = 'reference.css';

/**
 * Allows what the page needs from this origin. The hash is the one of no text: Redoc makes a style element without content,
 * and writes its rules by script.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const PAGE_HEADERS = { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' };

interface Page {
  readonly title: string;
  /** where its files and documents are; relative, so that a proxy may serve the API below a path of its own */
  readonly files: string;
  readonly document: string;
  /** the index of the same as Markdown, if there is one */
  readonly markdown?: string;
  /** whether programs call the operations */
  readonly hasSamples: boolean;
}

const pageOf = ({ title, files, document, markdown, hasSamples }: Page): StaticFile =>
  staticFileOf(
    'text/html; charset=utf-8',
    `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="data:,">${
      markdown === undefined
        ? ''
        : `
    <link rel="alternate" type="text/markdown" href="${markdown}">`
    }
    <link rel="stylesheet" href="${files}${STYLES}">
    <script src="${files}${SCRIPT}" type="module"></script>
  </head>
  <body>
    <main id="reference" data-document="${document}"${hasSamples ? ' data-samples' : ''}>
      <noscript>The reference needs JavaScript. The same is in <a href="${document}">openapi.json</a>${markdown === undefined ? '' : ` and, as text, in <a href="${markdown}">llms.txt</a>`}.</noscript>
    </main>
  </body>
</html>
`,
  );

/**
 * The pages of the reference and their files, by path.
 * @param dist of the build; without it there are none
 */
export function referencePages(
  dist: string,
  { console: hasConsole }: { console: boolean },
): Record<string, StaticFile> {
  if (!existsSync(join(dist, SCRIPT))) return {};
  return {
    '/docs': pageOf({
      title: 'Postmesh API',
      files: 'docs/',
      document: 'openapi.json',
      markdown: 'llms.txt',
      hasSamples: true,
    }),
    ...(hasConsole && {
      '/docs/console': pageOf({
        title: 'Operations of the Postmesh console',
        files: '',
        document: '../console/api/openapi.json',
        hasSamples: false,
      }),
    }),
    [`/docs/${SCRIPT}`]: readStaticFile(join(dist, SCRIPT)),
    [`/docs/${STYLES}`]: readStaticFile(join(dist, STYLES)),
  };
}

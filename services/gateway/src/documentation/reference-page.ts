import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

// Swagger UI is served from its package, so the page makes no request to another origin. It runs under a policy
// without inline code, inline styles and eval (docs/decisions/0014-api-document.md).
const resolve = createRequire(import.meta.url).resolve;
const swaggerUi = (file: string): Buffer => readFileSync(resolve(`swagger-ui-dist/${file}`));

/** Allows what the page needs from this origin; the pictures in its style sheet are data: addresses. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

// Relative addresses, so that a proxy may serve the API below a path of its own.
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Postmesh API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <script src="docs/swagger-ui-bundle.js" defer></script>
    <script src="docs/start.js" defer></script>
  </head>
  <body>
    <main id="reference">
      <noscript>The reference needs JavaScript. The same is in <a href="openapi.json">openapi.json</a>.</noscript>
    </main>
  </body>
</html>
`;

// No validator: it would send the address of the document to a third party.
const START = `'use strict';
window.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayOperationId: true,
  filter: true,
  validatorUrl: 'none',
});
`;

export interface StaticPage {
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const script = (bytes: Buffer): StaticPage => ({ contentType: 'text/javascript; charset=utf-8', bytes });

/** The files of the reference, by path. */
export function referencePages(): Record<string, StaticPage> {
  return {
    '/docs': {
      contentType: 'text/html; charset=utf-8',
      bytes: Buffer.from(PAGE),
      headers: { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' },
    },
    '/docs/start.js': script(Buffer.from(START)),
    '/docs/swagger-ui-bundle.js': script(swaggerUi('swagger-ui-bundle.js')),
    '/docs/swagger-ui.css': { contentType: 'text/css; charset=utf-8', bytes: swaggerUi('swagger-ui.css') },
  };
}

import { readFileSync } from 'node:fs';
import type { ApiDocument } from './open-api.js';

/** Made by `npm run generate`, and committed; the same place seen from src and from dist. */
const FILE = new URL('../openapi.json', import.meta.url);

/**
 * The document of this release: what runs need not know the services' schemas.
 * @param baseUrl where the installation says that it is; undefined = wherever it was found
 */
export function readApiDocument(baseUrl?: string): ApiDocument {
  const document = JSON.parse(readFileSync(FILE, 'utf8')) as ApiDocument;
  if (baseUrl === undefined) return document;
  const own = { url: baseUrl.replace(/\/$/, ''), description: 'This installation.' };
  return { ...document, servers: [...document.servers, own] };
}

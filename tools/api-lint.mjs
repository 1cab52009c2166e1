// Checks the documents of the API and of the events with an independent parser: the rules of redocly.yaml, by Redocly's
// parser of OpenAPI and AsyncAPI.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { lintFromString, loadConfig } from '@redocly/openapi-core';

export const API_DOCUMENT = 'services/gateway/openapi.json';
export const CONSOLE_DOCUMENT = 'services/gateway/console-openapi.json';
export const EVENT_DOCUMENT = 'docs/asyncapi.json';

/**
 * @param {string} root of the repository
 * @param {string} path of the document
 * @param {string} source its text
 * @returns {Promise<string[]>} one line per problem, warnings included
 */
export async function lintDocument(root, path, source = readFileSync(join(root, path), 'utf8')) {
  const config = await loadConfig({ configPath: join(root, 'redocly.yaml') });
  const problems = await lintFromString({ source, absoluteRef: join(root, basename(path)), config });
  return problems.map(({ message, ruleId, location }) => {
    const [{ pointer = '#/' } = {}] = location;
    return `${basename(path)} ${pointer}: ${message} (${ruleId})`;
  });
}

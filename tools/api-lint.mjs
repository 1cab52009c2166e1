// Reads the API document with the eyes of others: the rules of redocly.yaml, judged by Redocly's own reader of OpenAPI.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lintFromString, loadConfig } from '@redocly/openapi-core';

/**
 * @param {string} root of the repository
 * @param {string} source text of the document
 * @returns {Promise<string[]>} one line per problem, warnings included
 */
export async function lintApiDocument(
  root,
  source = readFileSync(join(root, 'libs/api-document/openapi.json'), 'utf8'),
) {
  const config = await loadConfig({ configPath: join(root, 'redocly.yaml') });
  const problems = await lintFromString({ source, absoluteRef: join(root, 'openapi.json'), config });
  return problems.map(({ message, ruleId, location }) => {
    const [{ pointer = '#/' } = {}] = location;
    return `openapi.json ${pointer}: ${message} (${ruleId})`;
  });
}

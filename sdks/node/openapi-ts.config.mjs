// Reads the API document of the server and writes src/generated: `node tools/sdks.mjs` runs it.
import { readFileSync } from 'node:fs';

const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));

// A client has one account, which its key belongs to: no method asks for it again.
const ACCOUNT = '#/components/parameters/account_id';
for (const path of Object.values(document.paths)) {
  for (const operation of Object.values(path)) {
    if (operation.parameters)
      operation.parameters = operation.parameters.filter(({ $ref }) => $ref !== ACCOUNT);
  }
}
delete document.components.parameters.account_id;

export default {
  input: document,
  output: {
    path: process.env.SDK_OUTPUT ?? 'src/generated',
    module: { extension: '.ts' },
    header: ['// Generated from docs/openapi.json: do not edit.'],
  },
  logs: { level: 'warn', file: false },
  plugins: [
    { name: '@hey-api/client-fetch', throwOnError: true },
    '@hey-api/typescript',
    {
      name: '@hey-api/sdk',
      operations: { strategy: 'single', containerName: 'Operations' },
      responseStyle: 'data',
    },
  ],
};

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fuzzerPrograms } from '../api-fuzz/python.mjs';
import { runFuzzer } from '../api-fuzz/run-fuzzer.mjs';
import { closeAnswers } from '../api-fuzz/strict-document.mjs';

const required = process.env.POSTMESH_TEST_REQUIRES?.includes('PYTHON') ?? false;
let programs;
/** @type {string | false} */
let missing = false;
try {
  programs = fuzzerPrograms({ install: required });
} catch (error) {
  if (required) throw error;
  missing = `no fuzzer: ${error.message}`;
}

const header = { 'x-request-id': { required: true, schema: { type: 'string', format: 'uuid' } } };
const response = (schema) => ({
  description: 'x',
  headers: header,
  content: { 'application/json': { schema } },
});
const get = (operationId) => ({
  get: {
    operationId,
    security: [{ bearer: [] }],
    parameters: [{ name: 'limit', in: 'query', required: true, schema: { type: 'integer', minimum: 1 } }],
    responses: {
      200: response({ type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }),
      ...Object.fromEntries([400, 401, 500].map((status) => [status, response({ type: 'object' })])),
    },
  },
});
const NAMES = ['good', 'broken', 'talkative', 'wrong', 'unnamed', 'teapot', 'text', 'careless', 'open'];
const DOCUMENT = {
  openapi: '3.1.1',
  info: { title: 'Test', version: '1' },
  paths: Object.fromEntries(NAMES.map((name) => [`/${name}`, get(name)])),
  components: {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    responses: {},
    schemas: {},
  },
};

/** Follows the document, except for the fault in each name. */
function respond(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const name = pathname.slice(1);
  const say = (status, body, headers = {}) => {
    const named = name === 'unnamed' ? {} : { 'x-request-id': randomUUID() };
    response.writeHead(status, { 'content-type': 'application/json', ...named, ...headers });
    response.end(JSON.stringify(body));
  };
  if (!['GET', 'HEAD'].includes(request.method)) return say(405, {}, { allow: 'GET' });
  if (name !== 'open' && request.headers.authorization !== 'Bearer secret') return say(401, {});
  const asked = searchParams.getAll('limit');
  if (name !== 'careless' && !(asked.length === 1 && /^[1-9]\d*$/.test(asked[0]))) return say(400, {});
  if (name === 'broken') return say(500, {});
  if (name === 'talkative') return say(200, { id: 1, secret: 'x' });
  if (name === 'wrong') return say(200, { id: 'x' });
  if (name === 'teapot') return say(418, {});
  return say(200, { id: 1 }, name === 'text' ? { 'content-type': 'text/plain' } : {});
}

describe('the fuzzer', { skip: missing }, () => {
  const server = createServer(respond);
  const folder = mkdtempSync(join(tmpdir(), 'fuzzer-'));
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  after(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });

  const fuzz = (operations) => {
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(closeAnswers(DOCUMENT)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const env = {
      FUZZ_ACCOUNT_ID: 'x',
      FUZZ_KEY_ID: 'x',
      FUZZ_SENDER: 'x@x.test',
      FUZZ_TEMPLATE_ID: 'x',
      FUZZ_MESSAGE_ID: 'x',
    };
    const run = { file, folder, archive: join(folder, 'answers.har'), env, operations, secret: 'secret' };
    const bounds = { seconds: '2', examples: '20', seed: '1', baseUrl: `http://127.0.0.1:${port}` };
    return runFuzzer(programs, { ...run, ...bounds }, { quiet: true });
  };

  it('finds nothing in a correct service', async () => {
    const { code, said } = await fuzz(['good']);
    assert.equal(code, 0, said);
  });

  /** @type {[string, RegExp][]} */
  const faults = [
    ['broken', /Server error/],
    ['talkative', /Response violates schema/],
    ['wrong', /Response violates schema/],
    ['unnamed', /Missing required response headers/],
    ['teapot', /Undocumented status code/],
    ['text', /[Cc]ontent[ -][Tt]ype/],
    ['careless', /Schema-violating request accepted/],
    ['open', /auth/i],
  ];
  for (const [name, finding] of faults) {
    it(`finds the fault of an operation that is ${name}`, async () => {
      const { code, said } = await fuzz([name]);
      assert.equal(code, 1, said);
      assert.match(said, finding);
    });
  }
});

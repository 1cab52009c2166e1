#!/usr/bin/env node
// Sends every operation of a fresh Postmesh input that its API document allows and forbids, and checks each response
// against the document: no 500, no undescribed status, field, header or content type, no forbidden input accepted.
//   node tools/api-fuzz.mjs [--seconds 120] [--examples 50] [--seed 2] [--operation domains.create]
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostmesh } from './api-fuzz/postmesh.mjs';
import { fuzzerPrograms } from './api-fuzz/python.mjs';
import { reached } from './api-fuzz/reached.mjs';
import { runFuzzer } from './api-fuzz/run-fuzzer.mjs';
import { closeAnswers } from './api-fuzz/strict-document.mjs';
import { prepare } from './prepare.mjs';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    examples: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    operation: { type: 'string', multiple: true, default: [] },
  },
});
const SENDING_DOMAIN = 'shop.test';
const SENDER = `hello@${SENDING_DOMAIN}`;

await prepare();
let programs;
try {
  programs = fuzzerPrograms();
} catch (error) {
  console.error(`!!! the API was NOT fuzzed: ${error.message}`);
  process.exit(process.env.CI === 'true' ? 1 : 0);
}

const postmesh = await startPostmesh();
const folder = mkdtempSync(join(tmpdir(), 'postmesh-fuzz-'));
const archive = join(folder, 'answers.har');
try {
  process.exitCode = await fuzz(await prepareAccount(postmesh.credentials));
  if (process.exitCode !== 0) console.error(postmesh.log());
} finally {
  await postmesh.stop();
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Resources that the fuzzer cannot create: a key of all scopes (the initial key of the installation is not used), a
 * sending domain, a message to read.
 */
async function prepareAccount({ base_url, account_id, api_key }) {
  const call = async (path, body) => {
    const response = await fetch(`${base_url}/v2/accounts/${account_id}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return /** @type {Promise<any>} */ (response.json());
  };
  await call('/domains', { domain: SENDING_DOMAIN });
  const { dns_valid: valid } = await call(`/domains/${SENDING_DOMAIN}/check-dns`);
  if (valid !== true) throw new Error(`${SENDING_DOMAIN} did not become valid`);
  const sent = await call('/messages/conversation', {
    from: { email: SENDER },
    to: [{ email: 'ann@mail.test' }],
    subject: 'To be read',
    text_content: 'It works.',
  });
  const template = await call('/templates', {
    name: 'To be sent',
    subject: 'Hello',
    from: { email: SENDER },
    content: { html: '<p>{{ name|default("Hello") }}</p>' },
    publish: true,
  });
  const { id, secret_key: secret } = await call('/api-keys', { label: 'Fuzzer', scopes: ['*'] });
  return {
    baseUrl: base_url,
    secret,
    env: {
      FUZZ_ACCOUNT_ID: account_id,
      FUZZ_KEY_ID: id,
      FUZZ_SENDER: SENDER,
      FUZZ_TEMPLATE_ID: template.id,
      // `<id@host>`; the fuzzer takes percent-encoded brackets for no id
      FUZZ_MESSAGE_ID: /^<(.+)@/.exec(sent.data[0].id)?.[1] ?? '',
    },
  };
}

async function fuzz(key) {
  const document = await (await fetch(`${key.baseUrl}/openapi.json`)).json();
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(closeAnswers(document)));
  const { operation: operations, ...bounds } = options;
  const { code } = await runFuzzer(programs, { ...key, ...bounds, operations, file, folder, archive });
  tellReached(document);
  const ping = await fetch(`${key.baseUrl}/v2/ping`, { headers: { authorization: `Bearer ${key.secret}` } });
  if (ping.status === 200) return code;
  console.error(`the fuzzer's key is no longer good (${ping.status}): what it did after that says nothing`);
  return 1;
}

function tellReached(document) {
  if (!existsSync(archive)) return;
  const { answers, untouched } = reached(document, JSON.parse(readFileSync(archive, 'utf8')).log.entries);
  const never =
    untouched.length === 0 ? 'every operation did its work' : `only apiErrors: ${untouched.join(', ')}`;
  console.log(`${answers} answers; ${never}`);
}

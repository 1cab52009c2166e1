#!/usr/bin/env node
// Sends every operation of a fresh Postmesh input that its API document allows and forbids, and checks each response
// against the document: no 500, no undescribed status, field, header or content type, no forbidden input accepted.
//   node tools/api-fuzz.mjs [--seconds 120] [--examples 50] [--seed 2] [--operation domains.create]
//   node tools/api-fuzz.mjs --dialects [the same]     the dialects of other services, against docs/dialects-openapi.json
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostmesh } from './api-fuzz/postmesh.mjs';
import { fuzzerPrograms } from './api-fuzz/python.mjs';
import { documentOf, idsOf } from './api-fuzz/dialect-documents.mjs';
import { reached } from './api-fuzz/reached.mjs';
import { runFuzzer } from './api-fuzz/run-fuzzer.mjs';
import { closeAnswers } from './api-fuzz/strict-document.mjs';
import { DIALECTS_DOCUMENT } from './generated.mjs';
import { prepare, root } from './prepare.mjs';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    examples: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    operation: { type: 'string', multiple: true, default: [] },
    dialects: { type: 'boolean', default: false },
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

/** @returns {Promise<{document: any, credentials?: string}[]>} one run for each, with the header of its key */
async function runsOf({ baseUrl, secret }) {
  if (!options.dialects) return [{ document: await (await fetch(`${baseUrl}/openapi.json`)).json() }];
  const whole = JSON.parse(readFileSync(join(root, DIALECTS_DOCUMENT), 'utf8'));
  const basic = Buffer.from(`api:${secret}`).toString('base64');
  const headers = {
    resend: `Authorization: Bearer ${secret}`,
    postmark: `X-Postmark-Server-Token: ${secret}`,
    sendgrid: `Authorization: Bearer ${secret}`,
    mailgun: `Authorization: Basic ${basic}`,
  };
  return Object.entries(headers).map(([name, credentials]) => ({
    document: documentOf(whole, name),
    credentials,
  }));
}

async function fuzz(key) {
  const { operation: operations, dialects: _dialects, ...bounds } = options;
  const runs = await runsOf(key);
  const seconds = String(Math.ceil(Number(bounds.seconds) / runs.length));
  let code = 0;
  for (const { document, credentials } of runs) {
    const named = operations.filter((id) => idsOf(document).has(id));
    if (operations.length > 0 && named.length === 0) continue;
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(closeAnswers(document)));
    const run = { ...key, ...bounds, seconds, operations: named, file, folder, archive };
    const done = await runFuzzer(programs, { ...run, ...(credentials && { credentials }) });
    code ||= done.code;
    tellReached(document);
    rmSync(archive, { force: true });
  }
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

#!/usr/bin/env node
// Asks every operation of a fresh Postmesh for what its API document allows and forbids, and holds each answer against
// the document: no 500, no status, field, header or content type that is not described, no forbidden input accepted.
//   node tools/api-fuzz.mjs [--seconds 120] [--examples 50] [--seed 1] [--operation domains.create]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostmesh } from './api-fuzz/postmesh.mjs';
import { fuzzerPrograms } from './api-fuzz/python.mjs';
import { closeAnswers } from './api-fuzz/strict-document.mjs';
import { prepare } from './prepare.mjs';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    examples: { type: 'string', default: '50' },
    seed: { type: 'string' },
    operation: { type: 'string', multiple: true, default: [] },
  },
});
// Ends by itself; this is for one that does not.
const GRACE_MS = 60_000;

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
try {
  process.exitCode = await fuzz(await newKey(postmesh.credentials));
  if (process.exitCode !== 0) console.error(postmesh.log());
} finally {
  await postmesh.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** A key that may do everything; the one that the installation began with stays out of it. */
async function newKey({ base_url, account_id, api_key }) {
  const response = await fetch(`${base_url}/v2/accounts/${account_id}/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ label: 'Fuzzer', scopes: ['*'] }),
  });
  if (response.status !== 201) throw new Error(`no key for the fuzzer: ${await response.text()}`);
  const { id, secret_key: secret } = await response.json();
  return { baseUrl: base_url, accountId: account_id, keyId: id, secret };
}

async function fuzz(key) {
  const document = await (await fetch(`${key.baseUrl}/openapi.json`)).json();
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(closeAnswers(document)));
  const code = await runFuzzer(file, key);
  const ping = await fetch(`${key.baseUrl}/v2/ping`, { headers: { authorization: `Bearer ${key.secret}` } });
  if (ping.status === 200) return code;
  console.error(`the fuzzer's key is no longer good (${ping.status}): what it did after that says nothing`);
  return 1;
}

async function runFuzzer(file, { baseUrl, accountId, keyId, secret }) {
  const child = spawn(
    join(programs, 'schemathesis'),
    [
      ...['--config-file', join(import.meta.dirname, 'api-fuzz', 'schemathesis.toml')],
      ...['run', file, '--url', baseUrl, '--header', `Authorization: Bearer ${secret}`],
      ...['--max-examples', options.examples, '--max-time', options.seconds],
      ...['--request-timeout', '30', '--generation-database', 'none', '--warnings', 'off'],
      ...(options.seed === undefined ? [] : ['--seed', options.seed]),
      ...options.operation.flatMap((id) => ['--include-operation-id', id]),
    ],
    {
      cwd: folder,
      stdio: 'inherit',
      env: {
        ...process.env,
        SCHEMATHESIS_HOOKS: 'hooks',
        PYTHONPATH: join(import.meta.dirname, 'api-fuzz'),
        PYTHONDONTWRITEBYTECODE: '1',
        FUZZ_ACCOUNT_ID: accountId,
        FUZZ_KEY_ID: keyId,
      },
    },
  );
  const timer = setTimeout(() => child.kill('SIGKILL'), Number(options.seconds) * 1_000 + GRACE_MS);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  return code ?? 1;
}

// A fresh Postmesh for the fuzzer: one process, free ports on loopback, a data folder of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../prepare.mjs';

const START_MS = 120_000;
const STOP_MS = 20_000;
// The fuzzer tests the operations, not the limits.
const NO_LIMIT = '1000000';

export async function startPostmesh() {
  const dataDir = mkdtempSync(join(tmpdir(), 'postmesh-fuzz-'));
  const child = spawn(process.execPath, [join(root, 'services/all-in-one/dist/main.js')], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      POSTMESH_DATA_DIR: dataDir,
      POSTMESH_HTTP_PORT: '0',
      POSTMESH_OPERATOR_PORT: '0',
      POSTMESH_MAILBOX_PORT: '0',
      POSTMESH_SUBMISSION_PORTS: '0',
      POSTMESH_MX_PORT: '0',
      POSTMESH_LOG_LEVEL: 'error',
      POSTMESH_DIALECTS: 'resend,postmark,sendgrid,mailgun',
      // wrong keys are counted by address, and each request has an address of its own (hooks.py)
      POSTMESH_TRUSTED_PROXIES: '127.0.0.0/8',
      POSTMESH_RATE_GENERAL_PER_SECOND: NO_LIMIT,
      POSTMESH_RATE_GENERAL_BURST: NO_LIMIT,
      POSTMESH_RATE_STATISTICS_PER_SECOND: NO_LIMIT,
      POSTMESH_RATE_STATISTICS_BURST: NO_LIMIT,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(timer);
    }
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`not ready in time:\n${said}`)), START_MS);
      const read = (chunk) => {
        said = (said + chunk.toString()).slice(-40_000);
        if (!/^postmesh ready /m.test(said)) return;
        clearTimeout(timer);
        resolve(undefined);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', (code) => reject(new Error(`Postmesh ended with ${code}:\n${said}`)));
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
  return { credentials, stop, log: () => said };
}

#!/usr/bin/env node
// The first steps of a new user, on a fresh clone: `npm start`, first mail by the README's steps, a stop and a second
// start. When root runs it, an ordinary user takes these steps, then root in that user's installation: earlier tests
// cover an installation and build by root.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as nap } from 'node:timers/promises';
import { outsidePath, root } from './prepare.mjs';

const FIRST_START_MS = 240_000;
const STOP_MS = 12_000;
const MAIL_MS = 15_000;
const NOBODY = 65_534;

const isRoot = process.getuid?.() === 0;
const people = isRoot
  ? [{ name: 'an ordinary user', uid: NOBODY }, { name: 'root' }]
  : [{ name: 'an ordinary user' }];
const folders = [];
const children = new Set();

try {
  const checkout = clone();
  for (const person of people) {
    handTo(person, checkout);
    await tryAs(person, checkout);
  }
  console.log('smoke passed');
} finally {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

async function tryAs(person, checkout) {
  console.log(`smoke: npm start as ${person.name}`);
  const first = await start(checkout, person);
  await sendFirstMail(first.credentials);
  await stop(first.child, checkout);
  const again = await start(checkout, person);
  if (again.credentials.api_key !== first.credentials.api_key)
    throw new Error('the second start made another key');
  await stop(again.child, checkout);
}

/** A private folder (0700), which the database server must be able to use, although it has another user under root. */
function clone() {
  const folder = mkdtempSync(join(tmpdir(), 'postmesh-smoke-'));
  folders.push(folder);
  const checkout = join(folder, 'postmesh');
  const cloned = spawnSync('git', ['clone', '--quiet', '--no-hardlinks', root, checkout], {
    stdio: 'inherit',
  });
  if (cloned.status !== 0) throw new Error('git clone failed');
  mkdirSync(join(folder, 'home'));
  chmodSync(folder, 0o700);
  return checkout;
}

/**
 * Changes the owner of the folder to this person, and removes the data of the one before.
 * @param {{ uid?: number }} person @param {string} checkout
 */
function handTo({ uid }, checkout) {
  rmSync(join(checkout, '.data'), { recursive: true, force: true });
  if (!isRoot) return;
  const owner = uid ?? 0;
  spawnSync('chown', ['-R', `${owner}:${owner}`, dirname(checkout)], { stdio: 'inherit' });
}

async function start(checkout, { uid }) {
  const child = spawn('npm', ['start'], {
    cwd: checkout,
    env: {
      // a new user has no Node of ours
      PATH: outsidePath(),
      HOME: uid === undefined ? process.env.HOME : join(checkout, '..', 'home'),
      POSTMESH_HTTP_PORT: '0',
      POSTMESH_OPERATOR_PORT: '0',
      POSTMESH_MAILBOX_PORT: '0',
      POSTMESH_SUBMISSION_PORTS: '0',
      POSTMESH_MX_PORT: '0',
      POSTMESH_LOG_LEVEL: 'warn',
    },
    ...(uid === undefined ? {} : { uid, gid: uid }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const began = performance.now();
  await untilReady(child);
  console.log(`smoke: ready after ${Math.round((performance.now() - began) / 1_000)} s`);
  const file = join(checkout, '.data', 'credentials.json');
  if (!existsSync(file)) throw new Error('there is no credentials.json');
  return { child, credentials: JSON.parse(readFileSync(file, 'utf8')) };
}

function untilReady(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`not ready in time:\n${said}`)), FIRST_START_MS);
    const read = (chunk) => {
      said = (said + chunk.toString()).slice(-20_000);
      if (!/^postmesh ready http/m.test(said)) return;
      clearTimeout(timer);
      resolve(undefined);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${said}`)));
  });
}

/** npm ends at once; Postmesh notices that and follows, and removes its pid file last. */
async function stop(child, checkout) {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  children.delete(child);
  const deadline = Date.now() + STOP_MS;
  while (existsSync(join(checkout, '.data', 'postmesh.pid'))) {
    if (Date.now() > deadline) throw new Error('SIGTERM did not stop it');
    await nap(100);
  }
}

async function sendFirstMail({ base_url, account_id, api_key, mailbox_url }) {
  const call = async (method, path, body) => {
    const response = await fetch(`${base_url}/v2/accounts/${account_id}${path}`, {
      method,
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    /** @type {any} */
    const answered = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answered)}`);
    return answered;
  };
  await call('POST', '/domains', { domain: 'shop.test' });
  const checked = await call('POST', '/domains/shop.test/check-dns');
  if (checked.dns_valid !== true) throw new Error('the domain did not become valid');
  await call('POST', '/messages/conversation', {
    from: { email: 'hello@shop.test' },
    to: [{ email: 'ann@mail.test' }],
    subject: 'First mail',
    text_content: 'It works.',
  });
  await untilInMailbox(mailbox_url);
}

async function untilInMailbox(mailboxUrl) {
  const deadline = Date.now() + MAIL_MS;
  while (Date.now() < deadline) {
    const response = await fetch(`${mailboxUrl.replace(/\/$/, '')}/api/messages?subject=First%20mail`);
    const { messages } = /** @type {any} */ (await response.json());
    const [message] = messages;
    if (message?.auth.dkim === 'pass' && message.auth.spf === 'pass' && message.auth.dmarc === 'pass') return;
    await nap(200);
  }
  throw new Error('the first mail did not arrive, or SPF, DKIM or DMARC did not pass');
}

#!/usr/bin/env node
// The first steps of a new user, on a fresh clone: `npm start`, first mail by the README's steps, a stop and a second
// start. When root runs it, an ordinary user takes these steps, then root in that user's installation: earlier tests
// cover an installation and build by root.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as nap } from 'node:timers/promises';
import { clone, cleanUp, start, stop } from './smoke/fresh-clone.mjs';

const MAIL_MS = 15_000;
const NOBODY = 65_534;

const isRoot = process.getuid?.() === 0;
const people = isRoot
  ? [{ name: 'an ordinary user', uid: NOBODY }, { name: 'root' }]
  : [{ name: 'an ordinary user' }];

try {
  const checkout = clone();
  for (const person of people) {
    handTo(person, checkout);
    await tryAs(person, checkout);
  }
  console.log('smoke passed');
} finally {
  cleanUp();
}

async function tryAs(person, checkout) {
  console.log(`smoke: npm start as ${person.name}`);
  const first = await start(checkout, person);
  console.log(`smoke: ready after ${first.seconds} s`);
  await sendFirstMail(first.credentials);
  await stop(first.child, checkout);
  const again = await start(checkout, person);
  if (again.credentials.api_key !== first.credentials.api_key)
    throw new Error('the second start made another key');
  await stop(again.child, checkout);
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

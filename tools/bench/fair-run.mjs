// @ts-check
// (i) What the messages of others wait for while one account sends to hosts that never reply, to a slow one, or very much
// to a fast one: from the `202` to the `250`, beside the same alone. Each attack meets a system of its own.
import { Agent, request } from 'undici';
import { joinByMessageId, percentiles } from './figures.rules.mjs';
import { makeFolder, nowMicros, removeFolder, sleep } from './processes.mjs';
import { DOMAIN, withParts } from './stack.mjs';

const SILENT_HOST = '127.27.0.1';
const SLOW_HOST = '127.27.0.2';
const SLOW_REPLY_MS = 2_000;
// An attempt may last so long before the message of another gets its place: what is later counts as not delivered.
const LIMIT_MS = 300_000;
const SINGLE_EVERY_MS = 100;
const SETTLE_MS = 2_000;
const RECIPIENTS_PER_CALL = 40;
const MAX_ZONE_RECORDS = 900;
const BULK_RECIPIENTS = 10;

/**
 * @typedef {import('./stack.mjs').Parts} Parts
 * @typedef {import('./options.mjs').Options} Options
 * @typedef {{ name: string, beside: (options: Options) => number,
 *   begin: (parts: Parts, options: Options) => Promise<unknown> }} Attack `begin` returns when it is on its way
 */

/** @type {Attack[]} */
const ATTACKS = [
  {
    name: 'names at hosts that never reply',
    beside: ({ fairNames }) => fairNames,
    async begin({ sink, stack }, { fairNames }) {
      await sink.listenAs({ address: SILENT_HOST, replyAfterMs: null });
      const names = await publish(stack, fairNames, (name) => ({ host: `mx.${name}`, address: SILENT_HOST }));
      await sendToAll(stack, names);
    },
  },
  {
    name: `domains at one host that replies after ${SLOW_REPLY_MS / 1000} s`,
    beside: ({ fairDomains }) => fairDomains,
    async begin({ sink, stack }, { fairDomains }) {
      await sink.listenAs({ address: SLOW_HOST, replyAfterMs: SLOW_REPLY_MS });
      const names = await publish(stack, fairDomains, () => ({
        host: 'mx.slow-host.test',
        address: SLOW_HOST,
      }));
      await sendToAll(stack, names);
    },
  },
  {
    name: 'bulk of one account to the same fast host',
    beside: ({ fairBulk }) => fairBulk,
    async begin({ generator, stack }, { fairBulk, bodyBytes, connections }) {
      const target = stack.target({ recipients: BULK_RECIPIENTS, bodyBytes });
      const requests = Math.ceil(fairBulk / BULK_RECIPIENTS);
      const sending = generator.closedLoop({ ...target, connections, requests, limitMs: LIMIT_MS });
      // Its end is not waited for: the others send while it lasts.
      sending.catch(() => undefined);
    },
  },
];

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export async function measureFair({ options, note }) {
  const runs = [];
  for (const attack of ATTACKS) {
    runs.push(await withParts({ tls: options.tls, note }, (parts) => measure(attack, parts, options)));
  }
  return { name: 'single messages of others beside one account, 202 to 250', runs };
}

/** @param {Attack} attack @param {Parts} parts @param {Options} options */
async function measure(attack, parts, options) {
  const others = await Others.make(parts.stack, options.fairAccounts);
  try {
    await others.send(options.fairAccounts * 2);
    const alone = await others.measure(parts, options.fairSingles);
    await parts.sink.reset();
    await attack.begin(parts, options);
    await sleep(SETTLE_MS);
    const before = (await parts.sink.counts()).messages;
    const beside = await others.measure(parts, options.fairSingles);
    const meanwhile = (await parts.sink.counts()).messages - before - beside.delivered;
    return {
      name: attack.name,
      beside: attack.beside(options),
      ...beside,
      alone_ms: alone.accepted_to_delivered_ms,
      delivered_meanwhile: meanwhile,
    };
  } finally {
    await others.close();
  }
}

/** Accounts that send a message now and then. */
class Others {
  constructor(url, senders) {
    this.url = url;
    this.senders = senders;
    this.agent = new Agent({ connections: 4 });
    this.number = 0;
  }

  /** @param {import('./stack.mjs').Stack} stack @param {number} count */
  static async make(stack, count) {
    /** @type {{ account: string, key: string, domain: string }[]} */
    const senders = [];
    for (let nth = 0; nth < count; nth += 1) senders.push(await stack.newSender(`other${nth}.test`));
    return new Others(`http://${stack.address.host}:${stack.address.port}`, senders);
  }

  /** @param {Parts} parts @param {number} count @returns sent, delivered and what they waited for */
  async measure({ sink }, count) {
    const folder = makeFolder('fair');
    try {
      const accepted = await this.send(count);
      const isThere = async () => joinByMessageId(accepted, await sink.arrivals(folder));
      const until = Date.now() + LIMIT_MS;
      let joined = await isThere();
      while (joined.missing > 0 && Date.now() < until) {
        await sleep(500);
        joined = await isThere();
      }
      return {
        sent: count,
        delivered: joined.micros.length,
        accepted_to_delivered_ms: percentiles(joined.micros),
      };
    } finally {
      removeFolder(folder);
    }
  }

  /** In turns, one every tenth of a second. @returns {Promise<Map<string, number>>} Message-ID → microseconds of the `202` */
  async send(count) {
    const accepted = new Map();
    for (let nth = 0; nth < count; nth += 1) {
      const sender = this.senders[nth % this.senders.length];
      const id = await post(`${this.url}/v2/accounts/${sender.account}/messages/conversation`, {
        dispatcher: this.agent,
        key: sender.key,
        message: messageOf(sender.domain, [`single${this.number++}@r00.test`]),
      });
      accepted.set(id, nowMicros());
      await sleep(SINGLE_EVERY_MS);
    }
    return accepted;
  }

  close() {
    return this.agent.destroy();
  }
}

/** @param {import('./stack.mjs').Stack} stack @param {readonly string[]} domains one message to each, of the stack's own account */
async function sendToAll(stack, domains) {
  for (let at = 0; at < domains.length; at += RECIPIENTS_PER_CALL) {
    const to = domains.slice(at, at + RECIPIENTS_PER_CALL).map((domain) => `ann@${domain}`);
    await stack.call('POST', '/messages/conversation', 202, messageOf(DOMAIN, to));
  }
}

const messageOf = (domain, to) => ({
  from: { email: `sender@${domain}` },
  to: to.map((email) => ({ email })),
  subject: 'Fair',
  text_content: 'One of many.\n',
});

async function post(url, { dispatcher, key, message }) {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    dispatcher,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(message),
  });
  const text = await body.text();
  if (statusCode !== 202) throw new Error(`a single message: ${statusCode} ${text.slice(0, 300)}`);
  return JSON.parse(text).data[0].id;
}

/**
 * Domains in local-internet, in zones that are not too long.
 * @param {import('./stack.mjs').Stack} stack @param {number} count
 * @param {(name: string) => { host: string, address: string }} mx of a domain
 * @returns {Promise<string[]>}
 */
async function publish(stack, count, mx) {
  const names = Array.from(
    { length: count },
    (_, nth) => `n${nth}.far${Math.floor((nth * 2) / MAX_ZONE_RECORDS)}.test`,
  );
  const zones = new Map();
  for (const name of names) {
    const { host, address } = mx(name);
    for (const [type, owner, content] of [
      ['MX', name, `10 ${host}`],
      ['A', host, address],
    ]) {
      const zone = owner.split('.').slice(-2).join('.');
      const records = zones.get(zone) ?? new Map();
      zones.set(zone, records.set(`${type} ${owner}`, { type, host: owner, content }));
    }
  }
  for (const [zone, records] of zones) await stack.publishZone(zone, [...records.values()]);
  return names;
}

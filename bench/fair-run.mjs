// @ts-check
// (i) Latency of other accounts while one account sends to hosts that never reply, to a slow one, or very much to a
// fast one: from the request to the `202`, and to the `250`, compared with the same alone. Each attack has a system of
// its own.
import { Agent, request } from 'undici';
import { joinByMessageId, percentiles, round } from './figures.rules.mjs';
import { makeFolder, nowMicros, removeFolder, sleep } from '../tools/processes.mjs';
import { DOMAIN, withParts } from './stack.mjs';

const SILENT_HOST = '127.27.0.1';
const SLOW_HOST = '127.27.0.2';
const SLOW_REPLY_MS = 2_000;
// An attempt may take this long before another message gets its permit: later ones count as not delivered.
const LIMIT_MS = 300_000;
const SINGLE_EVERY_MS = 100;
const SETTLE_MS = 2_000;
const RECIPIENTS_PER_CALL = 40;
const MAX_ZONE_RECORDS = 900;
const BULK_RECIPIENTS = 10;
const CONTACTS_PER_CALL = 1_000;

/**
 * @typedef {import('./stack.mjs').Parts} Parts
 * @typedef {import('./options.mjs').Options} Options
 * @typedef {{ name: string, messages: (options: Options) => number,
 *   begin: (parts: Parts, options: Options) => Promise<unknown> }} Attack `begin` returns when the attack has started
 */

/** @type {Attack[]} */
const ATTACKS = [
  {
    name: 'names at hosts that never reply',
    messages: ({ fairNames }) => fairNames,
    async begin({ sink, stack }, { fairNames }) {
      await sink.listenAs({ address: SILENT_HOST, replyAfterMs: null });
      const names = await publish(stack, fairNames, (name) => ({ host: `mx.${name}`, address: SILENT_HOST }));
      await sendToAll(stack, names);
    },
  },
  {
    name: `domains at one host that replies after ${SLOW_REPLY_MS / 1000} s`,
    messages: ({ fairDomains }) => fairDomains,
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
    messages: ({ fairBulk }) => fairBulk,
    async begin({ generator, stack }, { fairBulk, bodyBytes, connections }) {
      const target = stack.target({ recipients: BULK_RECIPIENTS, bodyBytes });
      const requests = Math.ceil(fairBulk / BULK_RECIPIENTS);
      const sending = generator.closedLoop({ ...target, connections, requests, limitMs: LIMIT_MS });
      // Not awaited: the others send while it lasts.
      sending.catch(() => undefined);
    },
  },
];

/** @type {Attack} */
const CAMPAIGN = {
  name: 'recipients of a campaign at the same fast host',
  messages: ({ fairCampaign }) => fairCampaign,
  async begin({ stack }, { fairCampaign }) {
    const { id: list } = await stack.call('POST', '/lists', 201, { name: 'Readers' });
    for (let at = 0; at < fairCampaign; at += CONTACTS_PER_CALL) {
      const length = Math.min(CONTACTS_PER_CALL, fairCampaign - at);
      const data = Array.from({ length }, (_, nth) => ({ email: `reader${at + nth}@r00.test` }));
      await stack.call('POST', '/contacts/batch', 200, { data });
      await stack.call('POST', `/lists/${list}/contacts/batch`, 200, { data });
    }
    const { id } = await stack.call('POST', '/campaigns', 201, {
      name: 'Fair',
      subject: 'Fair',
      from: { email: `sender@${DOMAIN}` },
      list_ids: [list],
      content: { html: '<p>One of many.</p><a href="{{ unsubscribe_url }}">no more</a>' },
    });
    await stack.call('POST', `/campaigns/${id}/send`, 200);
    // its check comes first: the others are measured while it is sent
    for (let queued = 0; queued === 0; await sleep(200)) {
      ({ queued } = await stack.call('GET', `/campaigns/${id}/stats`, 200));
    }
  },
};

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export const measureFair = (context) => measureAll(ATTACKS, context);

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export const measureFairCampaign = (context) => measureAll([CAMPAIGN], context);

/** @param {readonly Attack[]} attacks @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} */
async function measureAll(attacks, { options, note }) {
  const runs = [];
  for (const attack of attacks) {
    runs.push(await withParts({ tls: options.tls, note }, (parts) => measure(attack, parts, options)));
  }
  return { name: 'single messages of others during an attack, 202 to 250', runs };
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
    const began = nowMicros();
    const during = await others.measure(parts, options.fairSingles);
    const seconds = (nowMicros() - began) / 1e6;
    const meanwhile = (await parts.sink.counts()).messages - before - during.delivered;
    return {
      name: attack.name,
      attack_messages: attack.messages(options),
      ...during,
      alone_ms: alone.accepted_to_delivered_ms,
      accept_alone_ms: alone.accept_ms,
      delivered_meanwhile: meanwhile,
      delivered_per_second: round(meanwhile / seconds),
    };
  } finally {
    await others.close();
  }
}

/** Accounts that send single messages. */
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

  /** @param {Parts} parts @param {number} count @returns sent, delivered and their latencies */
  async measure({ sink }, count) {
    const folder = makeFolder('fair');
    try {
      const { accepted, accepting } = await this.send(count);
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
        accept_ms: percentiles(accepting),
        accepted_to_delivered_ms: percentiles(joined.micros),
      };
    } finally {
      removeFolder(folder);
    }
  }

  /**
   * Round-robin, one every tenth of a second.
   * @returns {Promise<{ accepted: Map<string, number>, accepting: number[] }>} `accepted`: Message-ID → microseconds of the
   * `202`; `accepting`: microseconds from each request to it
   */
  async send(count) {
    const accepted = new Map();
    const accepting = [];
    for (let nth = 0; nth < count; nth += 1) {
      const sender = this.senders[nth % this.senders.length];
      const asked = nowMicros();
      const id = await post(`${this.url}/v2/accounts/${sender.account}/messages/conversation`, {
        dispatcher: this.agent,
        key: sender.key,
        message: messageOf(sender.domain, [`single${this.number++}@r00.test`]),
      });
      const at = nowMicros();
      accepted.set(id, at);
      accepting.push(at - asked);
      await sleep(SINGLE_EVERY_MS);
    }
    return { accepted, accepting };
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

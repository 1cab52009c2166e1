// @ts-check
// Steady mixed load through the public API and SMTP during all kills: sends with an Idempotency-Key that are repeated
// until they get a response, submissions and inbound messages that are not, sign-ups, and in rounds two campaigns, one of them
// with a trial of variants, and two imports.
import { createTransport } from 'nodemailer';
import { sleep, waitUntil } from '../processes.mjs';
import { ConsoleClient, SignUps } from './sign-ups.mjs';
import { ANSWER_MS, Client } from './system.mjs';
import { makeTrial, TRIAL_SUBJECT, trialRecipient } from './trials.mjs';

const DOMAIN = 'ledger.test';
const INBOUND_DOMAIN = 'inbox.test';
const DOMAINS = [DOMAIN, INBOUND_DOMAIN];
const EVENTS = ['message.reception', 'message.delivered'];
const SEVERAL = 3;
const SMTP_CONNECTIONS = 12;
/** Limit of concurrent requests. */
const MOST_AT_ONCE = 200;
/** Limit of one request until its 202: a restart, and the lease of a key of a dead process. */
const ANSWERED_IN_MS = 90_000;
const TRY_AGAIN_MS = 300;
const TEXT = 'x'.repeat(500);
/** The limit of one request (spec 3-marketing §3, §4). */
const MAX_BATCH = 1_000;
const NONSENSE_EVERY = 1_000;
/** A campaign with a trial has this part of the recipients of another one. */
const TRIAL_PART = 5;
/** Kinds of ten requests. @type {readonly import('./book.mjs').Kind[]} */
const MIX = [
  'send',
  'submission',
  'inbound',
  'send',
  'several',
  'submission',
  'send',
  'inbound',
  'sandbox',
  'sign-up',
];

/**
 * @typedef {object} Sizes
 * @property {number} rate requests a second
 * @property {number} burst requests at once, just before a kill
 * @property {number} campaignRecipients of each campaign
 * @property {number} importLines of each import
 * @property {number} webhooks for every event
 */

export class Load {
  /**
   * @param {import('./system.mjs').System} system @param {import('./book.mjs').Book} book
   * @param {{ sizes: Sizes, receiverUrl: string, signsUp?: boolean }} about `signsUp`: with sign-ups and trials, which are
   *   begun in the console; so unless given
   */
  constructor(system, book, { sizes, receiverUrl, signsUp = true }) {
    this.system = system;
    this.client = new Client(system);
    this.session = new ConsoleClient(system);
    this.signUps = new SignUps({ system, book, session: this.session });
    this.book = book;
    this.sizes = sizes;
    this.receiverUrl = receiverUrl;
    this.signsUp = signsUp;
    this.count = 0;
    this.rounds = 0;
    /** the part that is down now; '': none */
    this.down = '';
    /** when the last one went down */
    this.downSince = 0;
    /** @type {Set<Promise<unknown>>} */
    this.inFlight = new Set();
    /** @type {Map<string, { port: number, transport: any }>} */
    this.transports = new Map();
    /** @type {NodeJS.Timeout | undefined} */
    this.rhythm = undefined;
  }

  /** Domains, webhooks, a route, a credential. */
  async prepare() {
    const { client } = this;
    await Promise.all(DOMAINS.map((domain) => this.verify(domain)));
    for (let nth = 0; nth < this.sizes.webhooks; nth += 1) {
      const flags = { on_reception: true, on_delivered: true, on_bounced: true };
      const body = { name: `Hook ${nth}`, url: `${this.receiverUrl}/${nth}`, scope: 'global', ...flags };
      this.book.webhooks.push((await client.must(201, 'POST', '/webhooks', body)).id);
    }
    const route = { name: 'Route', url: `${this.receiverUrl}/route`, recipient: `*@${INBOUND_DOMAIN}` };
    await client.must(201, 'POST', '/routes', route);
    if (this.signsUp) {
      await this.session.signIn();
      this.signsUp = await this.signUps.areThere();
      if (!this.signsUp) console.log('  this build has no sign-ups and trials: the load goes without them');
    }
    if (this.signsUp) {
      const list = await client.must(201, 'POST', '/lists', { name: 'Joined' });
      await this.signUps.prepare(list.id, `news@${DOMAIN}`);
    }
    const credential = { name: 'Ledger', scope: 'global' };
    const { username, password } = await client.must(201, 'POST', '/smtp-credentials', credential);
    this.auth = { user: username, pass: password };
  }

  /** @param {string} domain */
  async verify(domain) {
    await this.client.must(201, 'POST', '/domains', { domain });
    const isValid = async () =>
      (await this.client.must(200, 'POST', `/domains/${domain}/check-dns`)).dns_valid === true;
    const valid = await waitUntil(isValid, { limitMs: 150_000, everyMs: 300 });
    if (!valid) throw new Error(`${domain} did not become valid`);
  }

  start() {
    this.rhythm = setInterval(() => this.next(), 1_000 / this.sizes.rate);
  }

  /** Many at once, so that the next kill happens during acceptance. */
  burst() {
    for (let nth = 0; nth < this.sizes.burst; nth += 1) this.next();
  }

  /** Sends no more; resolves when all requests are answered or timed out. */
  async end() {
    clearInterval(this.rhythm);
    await Promise.all(this.inFlight);
    for (const { transport } of this.transports.values()) transport.close();
  }

  next() {
    if (this.inFlight.size >= MOST_AT_ONCE) return;
    const number = (this.count += 1);
    const request = this.request(MIX[number % MIX.length], number).finally(() =>
      this.inFlight.delete(request),
    );
    this.inFlight.add(request);
  }

  /** @param {import('./book.mjs').Kind} kind @param {number} number @returns {Promise<void>} */
  request(kind, number) {
    if (kind === 'submission') return this.overSmtp(kind, number, `s${number}@mail.test`);
    if (kind === 'sign-up' && this.signsUp) return this.signUps.request(number, EVENTS);
    if (kind === 'inbound') return this.overSmtp(kind, number, `t${number}@${INBOUND_DOMAIN}`);
    return this.send(kind === 'sign-up' ? 'send' : kind, number);
  }

  /** @param {import('./book.mjs').Kind} kind @param {number} number */
  async send(kind, number) {
    const size = kind === 'send' ? 1 : SEVERAL;
    const to = Array.from({ length: size }, (_, nth) => `${kind}${number}-${nth}@mail.test`);
    const sandbox = kind === 'sandbox' ? sandboxOf(number) : undefined;
    const body = {
      from: { email: `news@${DOMAIN}` },
      to: to.map((email) => ({ email })),
      subject: `Message ${number}`,
      text_content: TEXT,
      ...sandbox?.fields,
    };
    const ids = await this.untilAnswered(body, `ledger-${number}`);
    if (ids === undefined) return to.forEach((recipient) => this.book.unanswered.add(recipient));
    this.book.answered(performance.now());
    const wanted = { events: EVENTS, status: 'Delivered', ...sandbox?.wanted };
    this.book.accept(to.map((recipient, nth) => ({ kind, recipient, id: ids[nth], ...wanted })));
  }

  /** Repeats a request with the same key, like a careful client. @returns {Promise<string[] | undefined>} ids */
  async untilAnswered(body, key) {
    const end = Date.now() + ANSWERED_IN_MS;
    for (let tries = 1; Date.now() < end; tries += 1) {
      const { down } = this;
      const path = '/messages/conversation';
      const began = performance.now();
      const answer = await this.client
        .api('POST', path, body, { 'idempotency-key': key })
        .catch((error) => ({ status: 0, body: error.cause?.code ?? error.message }));
      if (answer.status === 202) return answer.body.data.map(({ id }) => id);
      this.book.refused(performance.now());
      if (tries === 1) {
        const what = `${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`;
        // a request that was under way has waited for other things before
        const tookMs = Math.round(performance.now() - Math.max(began, this.downSince));
        this.book.failedTries.push({ what, status: answer.status, tookMs, during: this.down || down });
      }
      await sleep(TRY_AGAIN_MS);
    }
    return undefined;
  }

  /** A transaction that is cut off is not repeated: its outcome is unknown. */
  async overSmtp(kind, number, to) {
    const from = kind === 'inbound' ? 'zoe@mail.test' : `news@${DOMAIN}`;
    try {
      const message = { envelope: { from, to: [to] }, from, to, subject: `Mail ${number}`, text: TEXT };
      const { response } = await this.transport(kind).sendMail(message);
      const id = /^250 2\.0\.0 OK (\S+)$/.exec(response)?.[1];
      if (id === undefined) throw new Error(response);
      this.book.accept([
        kind === 'inbound'
          ? { kind, recipient: to, id, events: ['message.reception'], status: 'Received' }
          : { kind, recipient: to, id, events: EVENTS, status: 'Delivered' },
      ]);
    } catch (error) {
      this.book.unanswered.add(to);
      if (error.responseCode >= 500) this.book.refusedForGood.push(`${to}: ${error.response}`);
    }
  }

  /** A start may give the listener another port, which invalidates earlier connections. */
  transport(kind) {
    const { submission, mx } = this.system.addresses();
    const port = kind === 'inbound' ? mx : submission;
    const known = this.transports.get(kind);
    if (known?.port === port) return known.transport;
    known?.transport.close();
    const transport = createTransport({
      host: '127.0.0.1',
      port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      pool: true,
      maxConnections: SMTP_CONNECTIONS,
      maxMessages: Infinity,
      ...{ connectionTimeout: ANSWER_MS, greetingTimeout: ANSWER_MS, socketTimeout: ANSWER_MS },
      ...(kind === 'inbound' ? {} : { auth: this.auth }),
    });
    // the reconnect of a cut client may fail
    transport.on('error', () => undefined);
    this.transports.set(kind, { port, transport });
    return transport;
  }

  /** Begins a campaign and two imports. @returns {Promise<Round>} */
  async round() {
    const round = (this.rounds += 1);
    const [campaign, , contacts, suppressions] = await Promise.all([
      this.campaign(round),
      this.signsUp ? this.trial(round) : undefined,
      this.import('contacts', '/marketing', 'contact', round),
      this.import('suppressions', '/messages', 'suppression', round),
    ]);
    return { campaign, imports: [contacts, suppressions] };
  }

  /** @param {number} round */
  async campaign(round) {
    const recipients = this.sizes.campaignRecipients;
    const emails = Array.from({ length: recipients }, (_, nth) => `reader${round}-${nth}@mail.test`);
    const id = await this.draft('News for {{ first_name|default("you") }}', round, emails);
    await this.sendCampaign(id, 'campaign', emails);
    return { id, recipients };
  }

  /** It has a part of the size, since its rest waits for a minute. @param {number} round */
  async trial(round) {
    const recipients = Math.ceil(this.sizes.campaignRecipients / TRIAL_PART);
    const emails = Array.from({ length: recipients }, (_, nth) => trialRecipient(round, nth));
    const id = await this.draft(TRIAL_SUBJECT, round, emails);
    await makeTrial(this.session, id);
    await this.sendCampaign(id, 'trial', emails);
  }

  /** @param {string} subject @param {number} round @param {string[]} emails @returns {Promise<string>} its id */
  async draft(subject, round, emails) {
    const { client } = this;
    const list = await client.must(201, 'POST', '/lists', { name: `${subject.slice(0, 9)} ${round}` });
    for (let at = 0; at < emails.length; at += MAX_BATCH) {
      const data = emails.slice(at, at + MAX_BATCH).map((email) => ({ email }));
      await client.must(200, 'POST', '/contacts/batch', { data });
      await client.must(200, 'POST', `/lists/${list.id}/contacts/batch`, { data });
    }
    const { id } = await client.must(201, 'POST', '/campaigns', {
      name: `News ${round}`,
      subject,
      from: { email: `news@${DOMAIN}`, name: 'Shop' },
      list_ids: [list.id],
      content: { html: '<p>Hello</p><a href="{{ unsubscribe_url }}">no more</a>' },
    });
    return id;
  }

  /** @param {string} id @param {'campaign' | 'trial'} kind @param {string[]} emails */
  async sendCampaign(id, kind, emails) {
    await this.client.must(200, 'POST', `/campaigns/${id}/send`);
    const hasTrial = kind === 'trial' ? { trial: { winner: null, tried: 0 } } : {};
    this.book.campaigns.push({ id, recipients: emails.length, ...hasTrial });
    const wanted = { events: EVENTS, status: 'delivered', id: null, campaign: id };
    this.book.accept(emails.map((recipient) => ({ kind, recipient, ...wanted })));
  }

  /** @param {'contacts' | 'suppressions'} kind @param {string} service @param {string} what @param {number} round */
  async import(kind, service, what, round) {
    const lines = this.sizes.importLines;
    const text = Array.from({ length: lines }, (_, nth) =>
      nth % NONSENSE_EVERY === 7 ? 'nonsense' : `line${round}-${nth}@import.test`,
    );
    const { account } = this.system.addresses();
    const path = `${service}/accounts/${account}/${what}-imports`;
    const { status, body } = await this.client.operator('POST', path, `email\n${text.join('\n')}`);
    if (status !== 202) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    const nonsense = text.filter((line) => line === 'nonsense').length;
    // an address is suppressed for each domain of the account
    const made = (lines - nonsense) * (kind === 'suppressions' ? DOMAINS.length : 1);
    this.book.imports.push({ kind, id: body.id, lines, nonsense, made });
    return { path: importPath(kind, body.id), lines };
  }
}

/** @typedef {{ campaign: { id: string, recipients: number }, imports: { path: string, lines: number }[] }} Round */

/** @param {'contacts' | 'suppressions'} kind @param {string} id for the progress in the operator interface */
export const importPath = (kind, id) =>
  kind === 'contacts' ? `/marketing/contact-imports/${id}` : `/messages/suppression-imports/${id}`;

/** Every other one bounces. @param {number} number */
function sandboxOf(number) {
  const bounces = Math.floor(number / MIX.length) % 2 === 1;
  return {
    fields: { sandbox: true, sandbox_result: bounces ? 'bounce' : 'deliver' },
    wanted: {
      events: ['message.reception', bounces ? 'message.bounced' : 'message.delivered'],
      status: bounces ? 'Sandbox Bounced' : 'Sandbox Delivered',
    },
  };
}

// @ts-check
// Sign-ups with double opt-in during all kills: a form that is sent until it gets an answer, the confirmation mail at the
// mail host, and the button behind its link, which is pressed twice. They need a session of the console.
import { eachBounded } from '@postmesh/concurrency';
import { sleep, waitUntil } from '../processes.mjs';
import { Client } from './system.mjs';

/** The mails to these addresses have a link to press. */
export const isJoining = (/** @type {string} */ recipient) => recipient.startsWith('join');

const ANSWERED_IN_MS = 90_000;
const TRY_AGAIN_MS = 300;
/** A form that comes back faster was filled in by a program. */
const FILLED_IN_MS = 1_500;
const READERS = 6;
const TEXTS = {
  ...{
    title: 'News',
    intro: '',
    button: 'Sign up',
    consent: 'I want it.',
    thanks: 'Look into your mailbox.',
  },
  ...{ confirmed: 'You are on the list.', mail_subject: 'Please confirm', mail_text: 'Do you want it?' },
  mail_button: 'Yes',
};

/** Each person has an address of their own: a form is limited for each. @param {number} number */
const addressOf = (number) => `198.18.${(number >> 8) % 256}.${number % 256}`;

/** A member of the account at the console. */
export class ConsoleClient {
  /** @param {import('./system.mjs').System} system */
  constructor(system) {
    this.system = system;
    this.cookie = '';
  }

  /** As the owner of the account. */
  async signIn() {
    const client = new Client(this.system);
    const { account } = this.system.addresses();
    const { body } = await client.operator('GET', `/accounts/accounts/${account}`);
    const owner = { email: body.owner_email, account_id: account };
    const link = await client.operator('POST', '/accounts/sign-in-links', owner);
    if (link.status !== 201) throw new Error(`sign-in link: ${link.status} ${JSON.stringify(link.body)}`);
    const begun = await this.fetch('POST', '/sessions', { token: String(link.body.url).split('#')[1] });
    this.cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    if (this.cookie === '') throw new Error(`no session: ${begun.status} ${await begun.text()}`);
  }

  /** @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} @throws Error unless it succeeds */
  async must(method, path, body) {
    const response = await this.fetch(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }

  /** @param {string} method @param {string} path @param {object} [body] */
  fetch(method, path, body) {
    const api = apiOf(this.system);
    return fetch(`${api}/console/api${path}`, {
      method,
      headers: {
        ...{ origin: api, 'sec-fetch-site': 'same-origin', cookie: this.cookie },
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
  }
}

export class SignUps {
  /** @param {{ system: import('./system.mjs').System, book: import('./book.mjs').Book, session: ConsoleClient }} about */
  constructor({ system, book, session }) {
    this.system = system;
    this.book = book;
    this.session = session;
    this.path = '';
    this.time = '';
  }

  /** Whether this build has sign-ups: a release before may not. */
  async areThere() {
    const { status } = await this.session.fetch('GET', '/sign-up-forms');
    return status !== 404;
  }

  /** @param {string} listId @param {string} from */
  async prepare(listId, from) {
    const form = await this.session.must('POST', '/sign-up-forms', {
      ...{ name: 'Ledger', list_id: listId, is_open: true, fields: [], texts: TEXTS, accent: '#12683c' },
      ...{ from: { email: from, name: 'Shop' }, welcome: null },
    });
    this.path = new URL(form.url).pathname;
    const { text } = await this.page(this.path, 0);
    this.time = /name="t" value="([\w-]+)"/.exec(text)?.[1] ?? '';
    await sleep(FILLED_IN_MS);
  }

  /** Sends the form until it is answered. @param {number} number @param {readonly string[]} events */
  async request(number, events) {
    const recipient = `join${number}@mail.test`;
    const fields = { email: recipient, website: '', consent: '1', t: this.time };
    const isTaken = await untilOk(async () => {
      const { status, text } = await this.page(this.path, number, fields);
      return status === 200 && text.includes(TEXTS.thanks);
    });
    // a request that was cut off may have been taken
    if (!isTaken) return void this.book.unanswered.add(recipient);
    const wanted = { events, status: 'Delivered', id: null };
    this.book.accept([{ kind: /** @type {const} */ ('sign-up'), recipient, ...wanted }]);
  }

  /** Presses the button of a mail that has arrived, and once more. @param {string} recipient @param {string} path */
  async confirm(recipient, path) {
    const number = Number(/\d+/.exec(recipient)?.[0]);
    const press = async () => (await this.page(path, number, { confirm: '1' })).status === 200;
    if (!(await untilOk(press))) return;
    this.book.confirmed.add(recipient);
    await press().catch(() => undefined);
  }

  /** Confirms every mail that has a link, also of those that came after the load. */
  async confirmAll() {
    const open = [...this.book.links].filter(([recipient]) => !this.book.confirmed.has(recipient));
    await eachBounded(open, READERS, ([recipient, path]) => this.confirm(recipient, path));
  }

  /** Reads the consents of all, and lets the service verify their chain. */
  async read() {
    const consents = new Map();
    for (let after = ''; ;) {
      const page = await this.session.must('GET', `/consents${after}`);
      for (const { email, action } of page.data)
        if (action === 'granted') consents.set(email, (consents.get(email) ?? 0) + 1);
      if (!page.pagination.has_more) break;
      after = `?after=${page.pagination.next_cursor}`;
    }
    this.book.consents = consents;
    for (let after = ''; ;) {
      const part = await this.session.must('GET', `/consents/verification${after}`);
      if (part.problem !== null) this.book.chainProblem = JSON.stringify(part.problem);
      if (part.problem !== null || !part.has_more) return;
      after = `?after=${part.last}`;
    }
  }

  /** @param {string} path @param {number} number of the person @param {Record<string, string>} [fields] of a form */
  async page(path, number, fields) {
    const response = await fetch(`${apiOf(this.system)}${path}`, {
      method: fields ? 'POST' : 'GET',
      headers: { 'x-forwarded-for': addressOf(number) },
      ...(fields && { body: new URLSearchParams(fields) }),
      signal: AbortSignal.timeout(30_000),
    });
    return { status: response.status, text: await response.text() };
  }
}

/** @param {import('./system.mjs').System} system */
const apiOf = (system) => system.addresses().api.replace('//localhost:', '//127.0.0.1:');

/** @param {() => Promise<boolean>} once @returns {Promise<boolean>} */
async function untilOk(once) {
  const isOk = await waitUntil(() => once().catch(() => false), {
    limitMs: ANSWERED_IN_MS,
    everyMs: TRY_AGAIN_MS,
  });
  return isOk === true;
}

// @ts-check
// The system as the ledger uses it, in any mode: its public API, its operator interface, its SMTP listeners, and parts
// of it that can be killed.
import { sleep } from '../processes.mjs';

/** Longest wait of a client: a host that vanished ends no connection. */
export const ANSWER_MS = 30_000;

/** A service is away for as long, on a busy machine. */
const BUSY_MS = 120_000;
const AGAIN_MS = 300;

/**
 * @typedef {object} Addresses
 * @property {string} api base URL
 * @property {string} operator base URL
 * @property {string} operatorToken
 * @property {string} account
 * @property {string} key of the account
 * @property {number} submission port
 * @property {number} mx port
 *
 * @typedef {{ status: number, body: any }} Answer
 *
 * @typedef {object} System
 * @property {() => Addresses} addresses now: a start may change them
 * @property {readonly string[]} parts that can be killed
 * @property {boolean} acceptsMeanwhile the others accept messages while a part is down
 * @property {(part: string) => Promise<void>} kill with SIGKILL; resolves when it is gone
 * @property {(part: string) => Promise<void>} begin restarts it, or waits until it was restarted
 * @property {() => Promise<void>} stop everything, and removes its data
 * @property {() => string} output its last output, for error messages
 * @property {(url: string) => Promise<string>} [seenInside] the URL by which the system reaches one of this machine, where they differ
 * @property {import('./cluster.mjs').Release} [release] of the mode cluster
 * @property {import('./fleet.mjs').Fleet} [fleet] its processes, where each service has its own
 */

/** Short times, so that a run of minutes covers processes that otherwise take hours. */
export const LEDGER_SETTINGS = {
  POSTMESH_LOG_LEVEL: 'warn',
  POSTMESH_RATE_GENERAL_PER_SECOND: '100000',
  POSTMESH_RATE_GENERAL_BURST: '100000',
  POSTMESH_WEBHOOK_RETRY_SCALE: '0.05',
  // the lease of a key ends soon after its process was killed
  POSTMESH_IDEMPOTENCY_LEASE_S: '5',
};

/** The requests of the ledger. */
export class Client {
  /** @param {System} system */
  constructor(system) {
    this.system = system;
  }

  /** @param {string} method @param {string} path of the account @param {unknown} [body] @param {Record<string, string>} [headers] */
  api(method, path, body, headers = {}) {
    const { api, account, key } = this.system.addresses();
    return ask(`${api}/v2/accounts/${account}${path}`, { method, token: key, body, headers });
  }

  /** @param {string} method @param {string} path @param {unknown} [body] a string is sent as CSV */
  operator(method, path, body) {
    const { operator, operatorToken: token } = this.system.addresses();
    return ask(`${operator}/operator${path}`, { method, token, body, headers: {} });
  }

  /**
   * Repeated while the answer is 503, or there is none.
   * @returns {Promise<any>} the body @throws Error when the status is another one
   */
  async must(wanted, method, path, body) {
    const end = Date.now() + BUSY_MS;
    const tried = () => this.api(method, path, body).catch((error) => ({ status: 0, body: error.message }));
    let answer = await tried();
    for (; [0, 503].includes(answer.status) && Date.now() < end; answer = await tried())
      await sleep(AGAIN_MS);
    if (answer.status !== wanted)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
    return answer.body;
  }
}

/**
 * @param {string} url @param {{ method: string, token: string, body: unknown, headers: Record<string, string> }} request
 * @returns {Promise<Answer>}
 * @throws Error when it is cut off or takes too long
 */
export async function ask(url, { method, token, body, headers }) {
  const isText = typeof body === 'string';
  const response = await fetch(url.replace('//localhost:', '//127.0.0.1:'), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': isText ? 'text/csv' : 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    return { status: response.status, body: text };
  }
}

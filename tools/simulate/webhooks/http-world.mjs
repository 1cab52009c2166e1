// @ts-check
// The receivers of a world, behind the caller of the dispatcher: each call has a script.
import { runIn } from '../virtual-time.mjs';
import { LIMITS } from './limits.table.mjs';

/**
 * @typedef {object} Answer the script of one call
 * @property {'ok' | 'error' | 'busy' | 'unreachable' | 'silent' | 'lost' | 'kills'} kind `lost`: the receiver takes the call, and its
 *   answer is lost; `silent`: no answer; `kills`: the dispatcher dies of it
 * @property {number} ms how long it takes
 */
/**
 * @typedef {object} Call one call, as it went
 * @property {string} host
 * @property {string} id header `webhook-id`
 * @property {string} body
 * @property {string} owner name of the process
 * @property {number} begunAt
 * @property {Answer['kind']} kind
 * @property {boolean} isTaken the receiver has it, and answered with a success
 * @property {number | undefined} endedAt when the process got its result
 * @property {boolean} isKnown the process got the success
 * @property {boolean} isOver it ended, or its process did
 */

/** A receiver has the whole call after this share of the time. */
const TAKEN_AT = 0.8;
const TIMEOUT_MS = LIMITS.timeoutSeconds * 1_000;

export class HttpWorld {
  /** @type {Call[]} */
  calls = [];

  /**
   * @param {import('../virtual-time.mjs').Timeline} time
   * @param {(host: string, nth: number) => Answer} script of the nth call of a host, from 0
   * @param {(owner: import('./dispatcher-process.mjs').DispatcherProcess) => void} kill
   * @param {(line: string) => void} say
   */
  constructor(time, script, kill, say) {
    this.time = time;
    this.script = script;
    this.kill = kill;
    this.say = say;
  }

  /** In the place of `WebhookCaller`. @param {import('./dispatcher-process.mjs').DispatcherProcess} owner */
  callerOf(owner) {
    /** @type {Set<() => void>} */
    const cuts = new Set();
    return {
      /** @param {string} url @param {Record<string, string>} headers @param {Buffer} body */
      call: (url, headers, body) => this.call(owner, { url, headers, body }, cuts),
      close: async () => [...cuts].forEach((cut) => cut()),
    };
  }

  /**
   * @param {import('./dispatcher-process.mjs').DispatcherProcess} owner
   * @param {{ url: string, headers: Record<string, string>, body: Buffer }} request @param {Set<() => void>} cuts
   * @returns {Promise<any>} an OutgoingResponse
   */
  call(owner, { url, headers, body }, cuts) {
    const { hostname: host } = new URL(url);
    const nth = this.calls.filter((call) => call.host === host).length;
    const { kind, ms } = this.script(host, nth);
    const begunAt = this.time.now;
    /** @type {Call} */
    const call = {
      ...{ host, id: headers['webhook-id'] ?? '', body: body.toString(), owner: owner.name, begunAt, kind },
      ...{ isTaken: false, endedAt: undefined, isKnown: false, isOver: false },
    };
    this.calls.push(call);
    this.say(`${owner.name} calls ${host} (${kind}, ${ms} ms)`);
    return new Promise((resolve) => {
      const end = (/** @type {any} */ response) => {
        if (call.isOver) return;
        call.isOver = true;
        call.endedAt = this.time.now;
        call.isKnown = response.status === 200;
        cuts.delete(cut);
        runIn(owner, () => resolve({ ...response, durationMs: this.time.now - begunAt }));
      };
      const cut = () => end(failed('connection-failed', 'UND_ERR_DESTROYED'));
      cuts.add(cut);
      const arrive = () => {
        if (!owner.isAlive || call.isOver) return;
        if (kind !== 'kills') {
          call.isTaken = kind === 'ok' || kind === 'lost';
          return;
        }
        call.isOver = true;
        this.kill(owner);
      };
      // the receiver continues without the process
      this.time.after(ms * TAKEN_AT, arrive);
      if (kind !== 'silent') this.time.after(ms, () => end(RESPONSES[kind]), owner);
      this.time.after(TIMEOUT_MS, () => end(failed('timeout', 'UND_ERR_HEADERS_TIMEOUT')), owner);
    });
  }
}

/** @param {number} status @param {string} [retryAfter] */
const answered = (status, retryAfter) => ({
  ...{ kind: 'answered', status, start: Buffer.from(''), redirects: 0 },
  ...(retryAfter === undefined ? {} : { retryAfter }),
});
const failed = (/** @type {string} */ trouble, /** @type {string} */ code) => ({
  kind: 'failed',
  trouble,
  code,
});

/** @type {Record<string, any>} */
const RESPONSES = {
  ok: answered(200),
  error: answered(500),
  busy: answered(503, '2'),
  unreachable: failed('connection-failed', 'ECONNREFUSED'),
  lost: failed('connection-failed', 'ECONNRESET'),
};

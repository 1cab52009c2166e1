// @ts-check
// The SMTP servers of a world, behind the transport port of the delivery worker: each transaction has a script.
import { runIn } from '../virtual-time.mjs';

/**
 * @typedef {object} Reply the script of one transaction
 * @property {'accepted' | 'rejected' | 'deferred' | 'cut-before' | 'cut-after' | 'kills'} kind `cut-before`: the connection
 *   breaks before the final dot; `cut-after`: the message is taken and its reply lost; `kills`: the worker dies of it
 * @property {number} ms how long it takes
 */
/**
 * @typedef {object} Copy one transaction, as it went
 * @property {string} id of the message
 * @property {string} owner name of the process
 * @property {number} begunAt
 * @property {string} kind
 * @property {string} accountId
 * @property {string} key its group
 * @property {string} source `new`: an address that warms up
 * @property {boolean} isTaken the server has the message
 * @property {number | undefined} endedAt when the process got its result
 * @property {string | undefined} outcome as the process got it; `postponed`: a stop cut it before its final dot
 * @property {boolean} isOver it ended, or its process did
 */

/** A server has the whole message after this share of the time. */
const DOT_AT = 0.8;

export class MailWorld {
  /** @type {Copy[]} */
  copies = [];

  /**
   * @param {import('../virtual-time.mjs').Timeline} time
   * @param {(id: string, nth: number) => Reply} script of the nth transaction of a message, from 0
   * @param {(owner: import('./worker-process.mjs').WorkerProcess) => void} kill
   * @param {(line: string, id: string, owner: string) => void} say
   */
  constructor(time, script, kill, say) {
    this.time = time;
    this.script = script;
    this.kill = kill;
    this.say = say;
  }

  /** @param {import('./worker-process.mjs').WorkerProcess} owner */
  transportOf(owner) {
    /** @type {Set<() => void>} */
    const cuts = new Set();
    let isStopping = false;
    return {
      /** @param {any} request */
      send: async (request) => {
        if (isStopping) return postponed('its worker is stopping');
        const way = await owner.takeWay(request.lease).catch(() => undefined);
        if (way === undefined) return postponed('its way is not known');
        const outcome = isStopping
          ? postponed('its worker is stopping')
          : await this.transact(owner, request.lease, way.source, cuts);
        await way.met(outcome);
        return outcome;
      },
      /** @param {number} graceMs */
      stop: async (graceMs) => {
        isStopping = true;
        this.time.after(graceMs, () => [...cuts].forEach((cut) => cut()), owner);
      },
    };
  }

  /**
   * @param {import('./worker-process.mjs').WorkerProcess} owner @param {any} delivery @param {string} source
   * @param {Set<() => void>} cuts
   * @returns {Promise<any>} a SmtpOutcome
   */
  transact(owner, { id, accountId, key }, source, cuts) {
    const nth = this.copies.filter((copy) => copy.id === id).length;
    const { kind, ms } = this.script(id, nth);
    /** @type {Copy} */
    const copy = {
      id,
      owner: owner.name,
      begunAt: this.time.now,
      kind,
      accountId,
      key,
      source,
      isTaken: false,
      endedAt: undefined,
      outcome: undefined,
      isOver: false,
    };
    this.copies.push(copy);
    this.say(`begins to send (${kind}, ${ms} ms)`, id, owner.name);
    let hasDot = false;
    return new Promise((resolve) => {
      const end = (/** @type {any} */ outcome) => {
        if (copy.isOver) return;
        copy.isOver = true;
        cuts.delete(cut);
        copy.endedAt = this.time.now;
        copy.outcome = outcome.kind;
        this.say(`learns: ${outcome.kind}`, id, owner.name);
        runIn(owner, () => resolve(outcome));
      };
      const cut = () => end(hasDot ? lost('complete') : postponed('its worker is stopping'));
      cuts.add(cut);
      const dot = () => {
        if (!owner.isAlive || copy.isOver) return;
        if (kind === 'kills') {
          copy.isOver = true;
          this.kill(owner);
          return;
        }
        hasDot = kind !== 'cut-before';
        copy.isTaken = kind === 'accepted' || kind === 'cut-after';
      };
      // the server continues without the process
      this.time.after(ms * DOT_AT, dot);
      this.time.after(ms, () => end(OUTCOMES[kind]), owner);
    });
  }
}

/** @param {string} dataSent */
const lost = (dataSent) => ({
  kind: 'connection-lost',
  smtpCode: 0,
  enhancedStatusCode: '4.4.2',
  response: 'the connection was closed',
  command: 'DATA',
  dataSent,
  remoteHost: 'mx.mail.test',
});
/** @param {string} response */
const postponed = (response) => ({ kind: 'postponed', smtpCode: 0, waitMs: 1_000, response });
const replied = (
  /** @type {string} */ kind,
  /** @type {number} */ smtpCode,
  /** @type {string} */ response,
) => ({
  kind,
  smtpCode,
  response,
  command: 'DATA',
  dataSent: 'complete',
  remoteHost: 'mx.mail.test',
});

/** @type {Record<string, any>} */
export const OUTCOMES = {
  accepted: replied('accepted', 250, 'ok'),
  rejected: replied('rejected', 550, 'no such user'),
  deferred: replied('deferred', 451, 'try again later'),
  'cut-before': lost('partial'),
  'cut-after': lost('complete'),
};

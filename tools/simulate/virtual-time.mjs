// @ts-check
// The time of simulated processes: timers, `performance.now()`, `Date` and chance of the code that runs in one come from
// its world; all other code of the Node process keeps the machine's.
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * @typedef {object} Owner a simulated process, as its time sees it
 * @property {string} name
 * @property {string} schema that its sessions work in
 * @property {string} [machine] that it runs on
 * @property {boolean} isAlive
 * @property {number} stalledUntil virtual ms: until then none of its code runs
 * @property {number} dateOffset ms: its time of day is off by so much
 * @property {import('./random.mjs').Random} random
 * @property {Timeline} time
 */

/** @type {AsyncLocalStorage<Owner>} */
const running = new AsyncLocalStorage();
const machine = {
  Date: globalThis.Date,
  now: performance.now.bind(performance),
  random: Math.random,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  timeoutSignal: AbortSignal.timeout.bind(AbortSignal),
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
};

export const machineNow = machine.now;
/** @returns {Owner | undefined} the simulated process whose code runs now */
export const currentOwner = () => running.getStore();

/** @template T @param {Owner} owner @param {() => T} work @returns {T} */
export const runIn = (owner, work) => running.run(owner, work);

/** All code that is ready has run: microtasks, ticks, and what they made ready. */
export const settle = () => new Promise((resolve) => machine.setImmediate(() => resolve(undefined)));

/** @param {number} ms */
export const machinePause = (ms) => new Promise((resolve) => machine.setTimeout(resolve, ms));

/** @typedef {{ at: number, nth: number, owner: Owner | undefined, run: () => void }} Timer */

/** The virtual time of one world, and its timers in their order. */
export class Timeline {
  /** @type {Timer[]} */
  timers = [];
  /** @type {Timer[]} of `setImmediate`, in their order */
  immediates = [];
  nth = 0;

  /** @param {number} startMs Unix ms */
  constructor(startMs) {
    this.start = startMs;
    this.now = startMs;
  }

  /** @param {number} ms @param {() => void} run @param {Owner} [owner] @returns {Timer} */
  after(ms, run, owner) {
    const wait = Number.isFinite(ms) ? Math.max(1, ms) : 2 ** 31;
    const timer = { at: this.now + wait, nth: this.nth++, owner, run };
    let to = this.timers.length;
    while (to > 0 && /** @type {Timer} */ (this.timers[to - 1]).at > timer.at) to--;
    this.timers.splice(to, 0, timer);
    return timer;
  }

  /** @param {unknown} timer */
  cancel(timer) {
    const at = this.timers.indexOf(/** @type {Timer} */ (timer));
    if (at >= 0) this.timers.splice(at, 1);
  }

  /** @returns {Timer | undefined} the next one whose process lives; one of a stalled process waits for its end */
  takeNext() {
    for (;;) {
      const timer = this.timers.shift();
      if (timer === undefined) return undefined;
      const { owner } = timer;
      if (owner && !owner.isAlive) continue;
      if (owner && owner.stalledUntil > Math.max(timer.at, this.now)) {
        this.after(owner.stalledUntil - this.now, timer.run, owner);
        continue;
      }
      return timer;
    }
  }

  get nextAt() {
    return this.timers[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Runs what `setImmediate` was given. @returns {boolean} whether there was any */
  runImmediates() {
    const due = this.immediates;
    this.immediates = [];
    for (const { owner, run } of due) if (owner?.isAlive) runIn(owner, run);
    return due.length > 0;
  }
}

/** From now on simulated processes have their own time. */
export function installVirtualTime() {
  const g = /** @type {any} */ (globalThis);
  const dateNow = () => {
    const owner = running.getStore();
    return owner ? Math.round(owner.time.now + owner.dateOffset) : machine.Date.now();
  };
  g.Date = new Proxy(machine.Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [dateNow()] : args, newTarget),
    apply: () => new machine.Date(dateNow()).toString(),
    get: (target, key, receiver) => (key === 'now' ? dateNow : Reflect.get(target, key, receiver)),
  });
  performance.now = () => {
    const owner = running.getStore();
    return owner ? owner.time.now - owner.time.start + 1_000_000 : machine.now();
  };
  Math.random = () => running.getStore()?.random.next() ?? machine.random();
  const handle = (/** @type {Timer | undefined} */ timer, /** @type {Owner} */ owner) => ({
    timer,
    owner,
    ref() {
      return this;
    },
    unref() {
      return this;
    },
    hasRef: () => true,
  });
  g.setTimeout = (/** @type {any} */ run, /** @type {any} */ ms = 1, /** @type {any[]} */ ...args) => {
    const owner = running.getStore();
    if (!owner) return machine.setTimeout(run, ms, ...args);
    return handle(
      owner.time.after(Number(ms), () => run(...args), owner),
      owner,
    );
  };
  g.setInterval = (/** @type {any} */ run, /** @type {any} */ ms = 1, /** @type {any[]} */ ...args) => {
    const owner = running.getStore();
    if (!owner) return machine.setInterval(run, ms, ...args);
    const again = () => {
      const { timer } = interval;
      run(...args);
      // not where it was cleared
      if (interval.timer === timer) interval.timer = owner.time.after(Number(ms), again, owner);
    };
    const interval = handle(owner.time.after(Number(ms), again, owner), owner);
    return interval;
  };
  g.clearInterval = (/** @type {any} */ given) => {
    if (!given?.owner?.time) return machine.clearInterval(given);
    given.owner.time.cancel(given.timer);
    given.timer = undefined;
  };
  AbortSignal.timeout = (ms) => {
    if (!running.getStore()) return machine.timeoutSignal(ms);
    const controller = new AbortController();
    g.setTimeout(() => controller.abort(new DOMException('The operation timed out', 'TimeoutError')), ms);
    return controller.signal;
  };
  g.clearTimeout = (/** @type {any} */ given) => {
    if (given?.owner?.time) given.owner.time.cancel(given.timer);
    else machine.clearTimeout(given);
  };
  g.setImmediate = (/** @type {any} */ run, /** @type {any[]} */ ...args) => {
    const owner = running.getStore();
    if (!owner) return machine.setImmediate(run, ...args);
    const timer = { at: 0, nth: 0, owner, run: () => run(...args) };
    owner.time.immediates.push(timer);
    return timer;
  };
}

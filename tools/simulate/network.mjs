// @ts-check
// Calls between processes of a world, over a network that loses some and delays others.
import { runIn } from './virtual-time.mjs';

/** So often the answer of a process is lost on its way. */
const LOST = 0.03;
/** So often a call takes long to arrive. */
const SLOW = 0.1;

/** @template {import('./world.mjs').Process} P */
export class Network {
  /** @type {{ owner: P, fail: (error: unknown) => void }[]} calls that wait for a process */
  calls = [];

  /** @param {import('./world.mjs').World<P>} world */
  constructor(world) {
    this.world = world;
  }

  /**
   * A call of one process of a service.
   * @template T @param {import('./virtual-time.mjs').Owner} from @param {string} schema of the service
   * @param {(owner: P) => Promise<T>} work @returns {Promise<T>}
   */
  call(from, schema, work) {
    const { random } = from;
    const { time } = this.world;
    return new Promise((resolve, reject) => {
      const here = (/** @type {() => void} */ run) => () => {
        if (from.isAlive) runIn(from, run);
      };
      const arrives = () => {
        const ready = this.world.ready(schema);
        if (ready.length === 0) return here(() => reject(refusedConnection()))();
        const owner = random.pick(ready);
        const call = { owner, fail: (/** @type {unknown} */ error) => here(() => reject(error))() };
        this.calls.push(call);
        const over = (/** @type {() => void} */ run) => {
          this.calls.splice(this.calls.indexOf(call), 1);
          time.after(random.between(1, 20), here(run));
        };
        const isLost = random.chance(LOST);
        owner
          .run(() => work(owner))
          .then(
            (got) => over(() => (isLost ? reject(reset()) : resolve(got))),
            (error) => over(() => reject(error)),
          );
      };
      time.after(random.chance(SLOW) ? random.between(100, 8_000) : random.between(1, 20), arrives);
    });
  }

  /** Calls to this process get no answer any more. @param {P} owner */
  gone(owner) {
    for (const call of this.calls.filter((one) => one.owner === owner)) call.fail(reset());
  }
}

const reset = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
const refusedConnection = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

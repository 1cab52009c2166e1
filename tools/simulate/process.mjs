// @ts-check
// What every simulated process is to its world; a subject extends it with the parts of its service.
import { runIn } from './virtual-time.mjs';

export class SimulatedProcess {
  isAlive = true;
  isReady = false;
  /** it was stopped in order, or is being stopped */
  isStopping = false;
  stalledUntil = 0;
  dateOffset = 0;
  /** its processes are known to the others there */
  machine = 'one';

  /**
   * @param {string} name @param {string} schema
   * @param {import('./virtual-time.mjs').Timeline} time @param {import('./random.mjs').Random} random
   */
  constructor(name, schema, time, random) {
    this.name = name;
    this.schema = schema;
    this.time = time;
    this.random = random;
  }

  /** @template T @param {() => T} work @returns {T} */
  run(work) {
    return runIn(this, work);
  }
}

// @ts-check
// Disks, networks and a broker that lie, around a system: its parts that are "killed" for some seconds, and settings of its
// processes.
import { Disk } from './disk/disk.mjs';
import { Echo } from './kafka-echo.mjs';
import { Network } from './lying-network.mjs';

/**
 * @typedef {import('./system.mjs').System} System
 * @typedef {object} Layer
 * @property {Readonly<Record<string, string>>} settings
 * @property {(system: System) => System | Promise<System>} of
 * @property {() => Promise<unknown>} stop
 */

/** @type {Record<import('./faults.table.mjs').Fault, () => Layer | Promise<Layer>>} */
const LAYERS = { disk: () => Disk.make(), net: () => new Network(), kafka: () => new Echo() };

/** @param {readonly import('./faults.table.mjs').Fault[]} faults @param {(() => Promise<unknown>)[]} stops */
export async function makeLayers(faults, stops) {
  /** @type {Layer[]} */
  const layers = [];
  for (const fault of faults) {
    const layer = await LAYERS[fault]();
    stops.push(() => layer.stop());
    layers.push(layer);
  }
  return layers;
}

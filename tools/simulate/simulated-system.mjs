// @ts-check
// In the place of libs/concurrency/src/process-identity.ts: a world has one machine, or more.
import { currentOwner } from './virtual-time.mjs';

/** @type {ReadonlyMap<string, { isAlive: boolean, machine: string }>} */
let processes = new Map();
/** @param {ReadonlyMap<string, { isAlive: boolean, machine: string }>} known by name */
export const useProcesses = (known) => {
  processes = known;
};

const here = () => currentOwner()?.machine ?? '';
export const processStart = async () => currentOwner()?.name ?? '';
export const processSpace = async () => here();
/** @param {{ started: string }} identity of a process, as one of this machine */
export const isRunning = async ({ started }) => {
  const found = processes.get(started);
  return found !== undefined && found.isAlive && found.machine === here();
};

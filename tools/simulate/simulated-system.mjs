// @ts-check
// In the place of libs/concurrency/src/process-identity.ts: the processes of a world are those of one machine.
import { currentOwner } from './virtual-time.mjs';

/** @type {ReadonlyMap<string, { isAlive: boolean }>} */
let processes = new Map();
/** @param {ReadonlyMap<string, { isAlive: boolean }>} known by name */
export const useProcesses = (known) => {
  processes = known;
};

export const processStart = async () => currentOwner()?.name ?? '';
export const processSpace = async () => 'machine';
/** @param {{ started: string }} identity */
export const isRunning = async ({ started }) => processes.get(started)?.isAlive ?? false;

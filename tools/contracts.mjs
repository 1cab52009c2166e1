// @ts-check
// Exports of libs/contracts and of the contracts of the services, as `tsc -b` has built them.
import { join } from 'node:path';
import { listProjects } from './sync-projects.mjs';

const root = join(import.meta.dirname, '..');

/** @param {unknown} value @returns {boolean} whether `defineEvent` made it */
const isEvent = (value) =>
  typeof value === 'object' && value !== null && 'pattern' in value && 'make' in value;

/**
 * All exports by name; in addition `EVENTS`, every event version, and `FOLDERS`, the folder of the contract by event.
 * @returns {Promise<Record<string, any>>}
 */
export async function loadContracts() {
  const core = await import('../libs/contracts/dist/index.js');
  const folders = listProjects(root).flatMap(({ dir }) => (dir.endsWith('/contract') ? [dir] : []));
  const owned = await Promise.all(folders.map((dir) => import(`../${dir}/dist/index.js`)));
  const FOLDERS = new Map(
    owned.flatMap((contract, nth) =>
      Object.values(contract)
        .filter(isEvent)
        .map((event) => [event, folders[nth]]),
    ),
  );
  return { ...Object.assign({}, core, ...owned), EVENTS: [...FOLDERS.keys()], FOLDERS };
}

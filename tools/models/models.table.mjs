// @ts-check
// The models, their sizes, and the faults that the check has to find in each.

/**
 * @typedef {object} Size
 * @property {Record<string, number>} constants
 * @property {number} traces
 * @property {number} steps of each trace
 *
 * @typedef {object} Model
 * @property {readonly string[]} rules constants: each is a rule of the code; without it the model is broken
 * @property {readonly string[]} never actions of broken models only
 * @property {readonly string[]} holds what must be true of every state
 * @property {Record<'quick' | 'whole', Size>} sizes
 * @property {Record<string, number>} traced constants of the traces
 * @property {readonly string[]} mutations of the code (tools/simulate) that the traces must find
 * @property {(state: any) => string} nameOf a state, whichever numbers its workers have
 */

/** @type {Record<string, Model>} */
export const MODELS = {
  leases: {
    rules: ['FENCES', 'WAITS_FOR_LEASE', 'RECORDS_UNKNOWN', 'KEEPS_BEGUN', 'LATE_COUNTS', 'GIVES_BACK'],
    never: [],
    holds: ['everyCopyIsRecorded', 'oneOutcome', 'leasesHold', 'resultsCount', 'neverStuck'],
    sizes: {
      quick: { constants: { CRASHES: 1, FAULTS: 1, CLAIMS: 3 }, traces: 12, steps: 30 },
      whole: { constants: { CRASHES: 3, FAULTS: 1, CLAIMS: 4 }, traces: 120, steps: 40 },
    },
    traced: { CRASHES: 3, FAULTS: 3, CLAIMS: 4 },
    mutations: [
      'late-result-dropped',
      'foreign-results',
      'abandoned-without-a-word',
      'death-is-not-asked-for',
    ],
    nameOf: ({ row, workers, ...rest }) =>
      `${nameOfHeld(row, 'owner')} ${nameOfWorkers(workers, row.owner)} ${Object.values(rest)}`,
  },
  idempotency: {
    rules: ['FENCES', 'ONE_TRANSACTION', 'RELEASES_OPEN', 'FREES_OPEN', 'RELEASES_ITS_OWN'],
    never: ['makeEffect', 'storeResponse'],
    holds: ['oneEffect', 'effectsAreKept', 'replaysAreRight', 'runsKeepTheirKey'],
    sizes: {
      quick: { constants: { CRASHES: 1, FAULTS: 1, CLAIMS: 3 }, traces: 12, steps: 30 },
      whole: { constants: { CRASHES: 3, FAULTS: 2, CLAIMS: 4 }, traces: 120, steps: 40 },
    },
    traced: { CRASHES: 3, FAULTS: 3, CLAIMS: 6 },
    mutations: [
      ...['overtaken-runs-commit', 'errors-after-a-commit-free-the-key'],
      ...['completed-keys-of-the-dead-are-free', 'release-takes-anything'],
    ],
    nameOf: ({ key, runs, answer, ...rest }) =>
      `${nameOfHeld(key, 'holder')} ${nameOfWorkers(runs, key.holder)} ${Object.values(answer)} ${Object.values(rest)}`,
  },
};

/** @param {Record<string, any>} record @param {string} field with the number of a worker, or of none */
const nameOfHeld = (record, field) =>
  Object.values({ ...record, [field]: isWorker(record[field]) ? '*' : record[field] });

/** @param {Record<string, object>} workers @param {number} holder */
const nameOfWorkers = (workers, holder) =>
  Object.entries(workers)
    .map(([number, worker]) => `${Object.values(worker)}${Number(number) === holder ? '*' : ''}`)
    .sort()
    .join(' ');

const isWorker = (/** @type {number} */ number) => number >= 1 && number <= 3;

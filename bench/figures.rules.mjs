// @ts-check
// Pure functions over the numbers of the runs.

/** @typedef {{ second: number, accepted: number, delivered: number }} Sample */

/**
 * @param {ArrayLike<number>} micros in any order
 * @returns {{ p50: number, p95: number, p99: number, max: number } | null} milliseconds, null when there was nothing to measure
 */
export function percentiles(micros) {
  if (micros.length === 0) return null;
  const sorted = Float64Array.from(micros).sort();
  const at = (share) => toMs(sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: toMs(sorted[sorted.length - 1]) };
}

const toMs = (micros) => round(micros / 1000, 2);

/** A backlog that gains less than half a second's messages over the whole run is noise. */
const NOISE_SECONDS = 0.5;

/**
 * Whether the backlog grows: the least-squares slope once the run has settled (its first sixth is left out). `short of
 * offers`: less was accepted than offered, so that a flat backlog proves little.
 * @param {Sample[]} samples in order of time
 * @param {{ rate: number, seconds: number }} run
 * @returns {{ verdict: string, slope_per_second: number | null, accepted_of_offered?: number }}
 */
export function judgeBacklog(samples, { rate, seconds }) {
  const settled = samples.filter(({ second }) => second >= seconds / 6 && second <= seconds);
  const slope = slopeOf(settled.map(({ second, accepted, delivered }) => [second, accepted - delivered]));
  if (slope === null) return { verdict: 'not judged', slope_per_second: null };
  const last = settled[settled.length - 1];
  const gained = slope * (last.second - settled[0].second);
  const missed = rate * last.second - last.accepted;
  return {
    verdict: verdictOf({ gained, missed, noise: rate * NOISE_SECONDS }),
    slope_per_second: round(slope, 2),
    accepted_of_offered: round(last.accepted / (rate * last.second), 4),
  };
}

function verdictOf({ gained, missed, noise }) {
  if (gained > noise) return 'grows';
  return missed > noise ? 'flat, but short of offers' : 'flat';
}

/** @param {number[][]} points @returns {number | null} */
function slopeOf(points) {
  if (points.length < 2) return null;
  const mean = (index) => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return spread === 0 ? null : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
}

/**
 * One sample per `every` seconds, the first at or after each mark.
 * @template {{ second: number }} T
 * @param {readonly T[]} samples @param {number} every
 * @returns {T[]}
 */
export function thinOut(samples, every) {
  /** @type {T[]} */
  const kept = [];
  for (const sample of samples) if (sample.second >= (kept.length + 1) * every) kept.push(sample);
  return kept;
}

/**
 * Joins accepted and arrived messages by Message-ID.
 * @param {Map<string, number>} accepted id → microseconds of the `202`
 * @param {readonly (readonly [string, number])[]} arrivals id and microseconds of the sink's `250`
 * @returns {{ micros: number[], duplicates: number, missing: number }}
 */
export function joinByMessageId(accepted, arrivals) {
  /** @type {number[]} */
  const micros = [];
  const seen = new Set();
  let duplicates = 0;
  for (const [id, at] of arrivals) {
    const since = accepted.get(id);
    if (since === undefined) continue;
    if (seen.has(id)) duplicates += 1;
    else micros.push(Math.max(0, at - since));
    seen.add(id);
  }
  return { micros, duplicates, missing: accepted.size - seen.size };
}

/**
 * CPU seconds so far, by thread of Node, and by process of PostgreSQL with the name of its client.
 * @typedef {{ threads: ReadonlyMap<string, number>, backends: ReadonlyMap<number, { name: string, seconds: number }> }} Cpu
 */

/**
 * @param {Cpu} before @param {Cpu} after
 * @param {{ messages: number, signature: number }} about microseconds of one signature, 0 = none is made
 * @returns microseconds per message, without processes that have ended meanwhile. The signature is a part of Node's
 *   threads, by its separately measured cost; `rest` is all but that
 */
export function cpuOfMessage(before, after, { messages, signature }) {
  const of = (seconds) => round((seconds / Math.max(1, messages)) * 1e6);
  /** @type {Map<string, number>} */
  const threads = new Map();
  for (const [name, seconds] of after.threads) threads.set(name, seconds - (before.threads.get(name) ?? 0));
  /** @type {Map<string, number>} */
  const backends = new Map();
  for (const [pid, { name, seconds }] of after.backends) {
    const used = seconds - (before.backends.get(pid)?.seconds ?? 0);
    backends.set(name, (backends.get(name) ?? 0) + used);
  }
  const sum = (/** @type {Map<string, number>} */ parts) =>
    of([...parts.values()].reduce((total, one) => total + one, 0));
  const each = (/** @type {Map<string, number>} */ parts) =>
    Object.fromEntries([...parts].map(([name, seconds]) => [name, of(seconds)]));
  const [node, postgres] = [sum(threads), sum(backends)];
  const signed = Math.min(round(signature), node);
  return {
    all: node + postgres,
    rest: node + postgres - signed,
    node,
    postgres,
    signature: signed,
    threads: each(threads),
    backends: each(backends),
  };
}

/**
 * The median round, with the least CPU time of all rounds, since other load can only add to it.
 * @template {{ cpu_us: { all: number } }} R
 * @param {readonly R[]} rounds at least one
 * @returns {R & { least_us: number }}
 */
export function medianRound(rounds) {
  const sorted = [...rounds].sort((a, b) => a.cpu_us.all - b.cpu_us.all);
  const middle = /** @type {R} */ (sorted[Math.floor((sorted.length - 1) / 2)]);
  return { ...middle, least_us: /** @type {R} */ (sorted[0]).cpu_us.all };
}

/** @param {number | null} seconds @param {number} count @returns {number | null} null when there is nothing to divide by */
export const perThousand = (seconds, count) =>
  seconds !== null && count > 0 ? round((seconds / count) * 1000, 3) : null;

/**
 * Small shares keep their digits: a thousandth of a transaction per request is not zero.
 * @param {number} part @param {number} requests @returns {number | null}
 */
export const perRequest = (part, requests) => (requests > 0 ? round(Math.max(0, part) / requests, 6) : null);

/** @param {number | null | undefined} ours @param {number | null | undefined} theirs @returns {number | null} */
export const ratio = (ours, theirs) => (ours && theirs ? round(ours / theirs, 2) : null);

/** @param {readonly number[]} values at least one @returns {number} of an even number the mean of the two in the middle */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ nth) => sorted[Math.floor(nth)] ?? NaN;
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2;
}

/** @param {number} value @param {number} [digits] @returns {number} */
export function round(value, digits = 0) {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}

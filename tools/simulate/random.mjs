// @ts-check
// A stream of numbers that a seed decides: the same seed, the same stream.

/**
 * @typedef {object} Random
 * @property {() => number} next 0 ≤ x < 1
 * @property {(most: number) => number} below a whole number, 0 ≤ n < most
 * @property {(least: number, most: number) => number} between a whole number of both ends
 * @property {(share: number) => boolean} chance
 * @property {<T>(from: readonly T[]) => T} pick
 */

/** @param {...(string | number)} parts @returns {Random} */
export function randomOf(...parts) {
  let state = hashOf(parts.join('/'));
  // mulberry32: 32 bits of state are plenty for a life
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (/** @type {number} */ most) => Math.floor(next() * most);
  return {
    next,
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (share) => next() < share,
    pick: (from) => /** @type {any} */ (from[below(from.length)]),
  };
}

/** FNV-1a. @param {string} text */
export function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

// @ts-check
// Whether what clients of one key saw is possible for a key that does one thing at a time (spec 1-platform §4.3). Wing and
// Gong's search with the memory of Lowe: each run is two points in time, its claim and its end; an answer without a run is one.

/**
 * @typedef {object} Op one request, from its client
 * @property {string} name
 * @property {string} key
 * @property {string} request its fingerprint
 * @property {boolean} isSecret rules of §4.4
 * @property {number} from it is sent, ms
 * @property {number} to its client has the answer
 * @property {number | undefined} end no code of it runs any more
 * @property {string} owner the process that had it; empty: none
 * @property {string | undefined} value of its run; undefined: it did not run, or its claim was not answered
 * @property {'made' | 'refused' | 'broken'} [ends]
 * @property {boolean} hasEffect its transaction is in the database
 * @property {number} [effectAt]
 * @property {'made' | 'replayed' | 'busy' | 'mismatch' | 'none'} answer `none`: the client does not know what came of it
 * @property {string | undefined} got value of the answer
 */
/** @typedef {{ lease: number, replay: number, secretReplay: number }} Times seconds */
/** @typedef {{ kind: 'free' } | { kind: 'open' | 'done', by: number }} State */

/**
 * The points of a request in their order. `?`: it may have it or not.
 * @param {Op} op @returns {string[]}
 */
export function pointsOf({ answer, isSecret, ends, owner, hasEffect }) {
  switch (answer) {
    case 'made':
      return isSecret && ends === 'refused' ? ['claim'] : ['claim', 'end'];
    case 'replayed':
    case 'busy':
    case 'mismatch':
      return [answer];
    default:
      if (hasEffect) return ['claim', 'end'];
      if (owner === '') return [];
      return ends === 'refused' && !isSecret ? ['claim?', 'end?'] : ['claim?'];
  }
}

/**
 * @param {readonly Op[]} ops of one key
 * @param {Times} times
 * @returns {boolean} whether the points have an order in which each answer is that of a key
 */
export function isLinearizable(ops, times) {
  const points = ops.map(pointsOf);
  const ends = ops.map(({ end, to, answer }) => (answer === 'none' ? (end ?? Infinity) : to));
  /** @type {Set<string>} */
  const seen = new Set();

  /** @param {number[]} done points of each @param {State} state @returns {boolean} */
  const search = (done, state) => {
    const name = `${done.join()} ${state.kind} ${'by' in state ? state.by : ''}`;
    if (seen.has(name)) return false;
    seen.add(name);
    const isOver = (/** @type {number} */ nth) => done[nth] === points[nth]?.length;
    const left = ops.map((_, nth) => nth).filter((nth) => !isOver(nth));
    if (left.every((nth) => points[nth]?.slice(done[nth]).every((point) => point.endsWith('?')))) return true;
    // the end of a request comes before the begin of another: so do their points
    const firstEnd = Math.min(...left.map((nth) => Number(ends[nth])));
    for (const nth of left) {
      const point = String(points[nth]?.[Number(done[nth])]);
      const next = done.map((count, at) => (at === nth ? count + 1 : count));
      // what is left out is left out to the end
      const without = done.map((count, at) => (at === nth ? Number(points[nth]?.length) : count));
      if (Number(ops[nth]?.from) > firstEnd) continue;
      if (point.endsWith('?') && search(without, state)) return true;
      const after = stateAfter(point.replace('?', ''), nth, state);
      if (after && search(next, after)) return true;
    }
    return false;
  };

  /** @param {string} point @param {number} nth @param {State} state @returns {State | undefined} undefined: not possible */
  function stateAfter(point, nth, state) {
    const op = /** @type {Op} */ (ops[nth]);
    const other = state.kind === 'free' ? undefined : /** @type {Op} */ (ops[state.by]);
    const isFree = other === undefined || mayBeFree(state.kind, other, Number(ends[nth]));
    switch (point) {
      case 'claim':
        return isFree ? { kind: 'open', by: nth } : undefined;
      case 'end':
        if (state.kind === 'open' && state.by === nth) return { kind: 'done', by: nth };
        // of a late run that another has overtaken: its 4xx is sent, and not stored
        return op.ends === 'refused' ? state : undefined;
      case 'replayed':
        return state.kind === 'done' && other?.value === op.got && other?.request === op.request
          ? state
          : undefined;
      case 'busy':
        return state.kind === 'open' && other?.request === op.request ? state : undefined;
      default:
        return (other && other.request !== op.request) || isContended(op) ? state : undefined;
    }
  }

  /** A key that another service has is asked for in some rounds; then it counts as held. @param {Op} op */
  const isContended = (op) =>
    ops.some(
      (other) =>
        other.request.split(' ')[0] !== op.request.split(' ')[0] &&
        other.from <= op.to &&
        (other.end ?? Infinity) >= op.from - CONTENDED_MS,
    );

  /**
   * Whether the key of another request may be free at a time.
   * @param {'free' | 'open' | 'done'} kind @param {Op} other @param {number} at
   */
  function mayBeFree(kind, other, at) {
    if (kind === 'done') {
      const ttl = other.isSecret ? times.secretReplay : times.replay;
      return at >= (other.effectAt ?? other.from) + ttl * 1_000;
    }
    if (other.isSecret && other.ends === 'refused' && other.answer === 'made')
      return at >= other.from + times.lease * 1_000;
    // of an open run: it was released, its process or its lease ended; it cannot end itself after that
    return true;
  }

  return search(
    ops.map(() => 0),
    { kind: 'free' },
  );
}

const CONTENDED_MS = 1_000;

// @ts-check
// All states of a model: breadth first, by the evaluator of Quint, so that no rule is written a second time. States that
// differ only in the numbers of their workers are one.

/**
 * @typedef {object} Explored
 * @property {number} states
 * @property {number} steps actions that were possible, in all states
 * @property {number} depth steps of the longest of the shortest ways
 * @property {boolean} isWhole there is no further state
 * @property {Set<string>} actions that were possible somewhere
 * @property {{ trace: string[], broken: string[] } | undefined} failure the shortest way to a state that is not safe
 */

/**
 * @param {NodeJS.Require} quint @param {import('./quint.mjs').Read & { table: any }} model
 * @param {{ nameOf: (state: any) => string, rules: readonly string[], mostStates: number }} how `nameOf` a state: the same for those that are one
 * @returns {Explored}
 */
export function explore(quint, model, { nameOf, rules, mostStates }) {
  const machine = new Machine(quint, model, rules);
  const first = machine.begin();
  /** the way to each state: the one before it, and the action @type {{ from: number, call: string }[]} */
  const ways = [{ from: -1, call: 'init' }];
  const known = new Set([nameOf(machine.plain(first))]);
  /** @type {Explored} */
  const explored = { states: 1, steps: 0, depth: 0, isWhole: true, actions: new Set(), failure: undefined };
  const wayTo = (/** @type {number} */ nth) => {
    const trace = [];
    for (let at = nth; at >= 0; at = Number(ways[at]?.from)) trace.unshift(String(ways[at]?.call));
    return trace;
  };
  let level = [{ nth: 0, state: first }];
  for (; level.length > 0; explored.depth++) {
    /** @type {typeof level} */
    const next = [];
    for (const { nth: from, state } of level) {
      for (const call of model.calls) {
        const after = machine.step(state, call);
        if (after === undefined) continue;
        explored.steps++;
        explored.actions.add(call.split('(')[0] ?? '');
        const name = nameOf(machine.plain(after));
        if (known.has(name)) continue;
        if (known.size >= mostStates) return { ...explored, isWhole: false };
        known.add(name);
        explored.states++;
        const nth = ways.push({ from, call }) - 1;
        const broken = machine.brokenIn(after);
        if (broken.length > 0) return { ...explored, failure: { trace: wayTo(nth), broken } };
        next.push({ nth, state: after });
      }
    }
    level = next;
  }
  return explored;
}

/** The evaluator, whose variables are set to a state before each action. */
class Machine {
  /** @param {NodeJS.Require} quint @param {import('./quint.mjs').Read & { table: any }} model @param {readonly string[]} rules */
  constructor(quint, model, rules) {
    const part = (/** @type {string} */ file) => quint(`@informalsystems/quint/dist/src/${file}`);
    const { Evaluator } = part('runtime/impl/evaluator');
    const { buildExpr } = part('runtime/impl/builder');
    const { noExecutionListener } = part('runtime/trace');
    const { newRng } = part('rng');
    const evaluator = new Evaluator(model.table, noExecutionListener, newRng(1n));
    this.context = evaluator.ctx;
    const built = (/** @type {string} */ text) => buildExpr(evaluator.builder, model.expression(text));
    this.init = built('init');
    this.actions = new Map(model.calls.map((call) => [call, built(call)]));
    this.rules = rules.map((rule) => ({ rule, holds: built(rule) }));
    /** of variables without a value */
    this.unset = new Map();
    /** of variables, without those of their modules */
    this.names = new Map();
  }

  begin() {
    const { varStorage } = this.context;
    for (const [key, { name, value }] of varStorage.nextVars) {
      this.unset.set(key, value);
      this.names.set(key, name.split('::').at(-1));
    }
    if (!isTrue(this.init(this.context))) throw new Error('a model without a beginning');
    return this.taken();
  }

  /** @param {Map<string, any>} state @param {string} call @returns {Map<string, any> | undefined} the state after it, if it is possible */
  step(state, call) {
    this.set(state);
    return isTrue(this.actions.get(call)?.(this.context)) ? this.taken() : undefined;
  }

  /** @param {Map<string, any>} state @returns {string[]} the rules that do not hold */
  brokenIn(state) {
    this.set(state);
    return this.rules.flatMap(({ rule, holds }) => (isTrue(holds(this.context)) ? [] : [rule]));
  }

  /** @param {Map<string, any>} state */
  set(state) {
    const { varStorage } = this.context;
    for (const [key, register] of varStorage.vars) register.value = state.get(key);
    for (const [key, register] of varStorage.nextVars) register.value = this.unset.get(key);
    varStorage.clearCaches();
  }

  /** A state as values of JavaScript. @param {Map<string, any>} state */
  plain(state) {
    return Object.fromEntries([...state].map(([key, { value }]) => [this.names.get(key), valueOf(value)]));
  }

  /** The variables of the next state. @returns {Map<string, any>} */
  taken() {
    const registers = [...this.context.varStorage.nextVars];
    for (const [key, { value }] of registers) if (!value.isRight()) throw new Error(`${key} has no value`);
    return new Map(registers.map(([key, { value }]) => [key, value]));
  }
}

/** @param {any} result @throws Error when the model cannot be evaluated */
function isTrue(result) {
  if (!result.isRight()) throw new Error(`${result.value.code}: ${result.value.message}`);
  return result.value.toBool();
}

/** @param {any} value of the evaluator @returns {any} */
function valueOf(value) {
  if (value.map === undefined) return typeof value.value === 'bigint' ? Number(value.value) : value.value;
  /** @type {[any, any][]} */
  const entries = [...value.map].map(([key, one]) => [
    typeof key === 'string' ? key : valueOf(key),
    valueOf(one),
  ]);
  return Object.fromEntries(entries);
}

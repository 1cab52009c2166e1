import type { Branch, Expression, Statement, Step } from './language/ast.js';
import { parseTemplate } from './language/parser.js';
import { TemplateError } from './language/template-error.js';

export interface TemplateVariable {
  readonly name: string;
  /** at least one use has no fallback (spec 2-messages §4 rule 15) */
  readonly required: boolean;
}

/** Supplied with every send (spec 2-messages §4 rule 9). */
const RESERVED = new Set(['email', 'unsubscribe_url', 'view_browser_url']);

/**
 * The names of the needed values, by their first appearance (spec 2-messages §4 rules 14 and 15).
 * @param sources the parts in the order of the list: HTML, text, preview text. A part that cannot be rendered has
 *   none.
 */
export function templateVariables(sources: readonly string[]): TemplateVariable[] {
  const uses = new Map<string, boolean>();
  for (const source of sources) new VariableUses(uses).ofBody(read(source));
  return [...uses].map(([name, required]) => ({ name, required: required && !RESERVED.has(name) }));
}

function read(source: string): Statement[] {
  try {
    return parseTemplate(source);
  } catch (error) {
    if (error instanceof TemplateError) return [];
    throw error;
  }
}

/** The names that a condition proves to be set: where it is true, or where it is false. */
interface Proof {
  readonly ifTrue: readonly string[];
  readonly ifFalse: readonly string[];
}

/** Visits a template in rendering order, and notes each name that nothing in it has set. */
class VariableUses {
  /** names that blocks, loops and `set` gave, innermost last */
  private readonly scopes: Set<string>[] = [new Set()];
  /** how many tests of a name guard the current position */
  private readonly guards = new Map<string, number>();
  /** how many fallbacks of whole expressions enclose the current position */
  private fallbacks = 0;

  /** @param uses gets each name, and whether a use has no fallback */
  constructor(private readonly uses: Map<string, boolean>) {}

  ofBody(body: readonly Statement[]): void {
    for (const statement of body) this.ofStatement(statement);
  }

  private ofStatement(statement: Statement): void {
    switch (statement.kind) {
      case 'text':
        return;
      case 'output':
        return this.of(statement.value);
      case 'if':
        return this.ofIf(statement.branches, statement.otherwise);
      case 'for':
        return this.ofFor(statement);
      case 'set':
        this.of(statement.value);
        return this.set(statement.target.names);
      case 'capture':
        this.ofBody(statement.body);
        for (const { args } of statement.filters) this.ofAll(args);
        return this.set([statement.name]);
      case 'with':
        return this.ofWith(statement);
    }
  }

  /** Names that one branch sets count as set after the `if`: the author is responsible for the other branches. */
  private ofIf(branches: readonly Branch[], otherwise: readonly Statement[]): void {
    const guards: string[] = [];
    for (const { condition, body } of branches) {
      this.ofCondition(condition);
      const proof = proofOf(condition);
      this.guarded(proof.ifTrue, () => this.ofBody(body));
      guards.push(...this.guard(proof.ifFalse));
    }
    this.ofBody(otherwise);
    this.unguard(guards);
  }

  private ofFor({ items, filter, target, body, otherwise }: Statement & { kind: 'for' }): void {
    this.of(items);
    this.inScope([...target.names, 'loop'], () => {
      if (filter) this.ofCondition(filter);
      this.guarded(filter ? proofOf(filter).ifTrue : [], () => this.ofBody(body));
    });
    this.ofBody(otherwise);
  }

  private ofWith({ bindings, body }: Statement & { kind: 'with' }): void {
    this.inScope([], () => {
      for (const { target, value } of bindings) {
        this.of(value);
        this.set(target.names);
      }
      this.ofBody(body);
    });
  }

  private of(expression: Expression): void {
    switch (expression.kind) {
      case 'literal':
        return;
      case 'name':
        return this.use(expression.name);
      case 'list':
        return this.ofAll(expression.items);
      case 'mapping':
        return this.ofAll(expression.entries.flat());
      case 'call':
        return this.ofAll(expression.args);
      case 'negate':
      case 'not':
        return this.of(expression.operand);
      case 'operation':
        return this.ofAll([expression.first, ...expression.rest.map(({ right }) => right)]);
      case 'and':
      case 'or':
        return this.ofOperands(expression, (operand) => this.of(operand));
      case 'conditional':
        return this.ofConditional(expression);
      case 'steps':
        return this.ofSteps(expression.base, expression.steps);
    }
  }

  private ofAll(expressions: readonly (Expression | undefined)[]): void {
    for (const expression of expressions) if (expression) this.of(expression);
  }

  /**
   * An operand is reached when those before it are true (`and`) or false (`or`). All operands of `or` but the last
   * have a fallback.
   */
  private ofOperands(
    { kind, operands }: Expression & { kind: 'and' | 'or' },
    note: (operand: Expression) => void,
  ): void {
    const proven: string[] = [];
    operands.forEach((operand, index) => {
      if (kind === 'or' && index < operands.length - 1) this.asFallback(operand);
      else note(operand);
      proven.push(...this.guard(proofOf(operand)[kind === 'and' ? 'ifTrue' : 'ifFalse']));
    });
    this.unguard(proven);
  }

  /** In the order of appearance: the value comes before its condition. */
  private ofConditional({ condition, value, otherwise }: Expression & { kind: 'conditional' }): void {
    const { ifTrue, ifFalse } = proofOf(condition);
    this.guarded(ifTrue, () => this.of(value));
    this.ofCondition(condition);
    this.guarded(ifFalse, () => this.ofAll([otherwise]));
  }

  /** A filter or test applies to all before it: the last `default`, or test for being there, is a fallback of that. */
  private ofSteps(base: Expression, steps: readonly Step[]): void {
    const last = steps.findLastIndex((step) => isDefault(step) || testsPresence(step));
    if (last === -1) this.of(base);
    else this.asFallback(base);
    steps.forEach((step, index) => {
      for (const inner of expressionsOf(step)) {
        if (index < last) this.asFallback(inner);
        else this.of(inner);
      }
    });
  }

  /** A condition tests the names that appear alone in it. */
  private ofCondition(condition: Expression): void {
    if (condition.kind === 'not') this.ofCondition(condition.operand);
    else if (condition.kind === 'and' || condition.kind === 'or') {
      this.ofOperands(condition, (operand) => this.ofCondition(operand));
    } else if (testedName(condition) !== undefined) this.asFallback(condition);
    else this.of(condition);
  }

  private asFallback(expression: Expression): void {
    this.fallbacks += 1;
    this.of(expression);
    this.fallbacks -= 1;
  }

  private use(name: string): void {
    if (this.scopes.some((scope) => scope.has(name))) return;
    const required = this.fallbacks === 0 && !this.guards.has(name);
    this.uses.set(name, required || this.uses.get(name) === true);
  }

  private set(names: readonly string[]): void {
    for (const name of names) this.scopes.at(-1)?.add(name);
  }

  private inScope(names: readonly string[], run: () => void): void {
    this.scopes.push(new Set(names));
    run();
    this.scopes.pop();
  }

  private guarded(names: readonly string[], run: () => void): void {
    this.guard(names);
    run();
    this.unguard(names);
  }

  private guard(names: readonly string[]): readonly string[] {
    for (const name of names) this.guards.set(name, (this.guards.get(name) ?? 0) + 1);
    return names;
  }

  private unguard(names: readonly string[]): void {
    for (const name of names) {
      const left = (this.guards.get(name) ?? 0) - 1;
      if (left > 0) this.guards.set(name, left);
      else this.guards.delete(name);
    }
  }
}

const isDefault = (step: Step) => step.kind === 'filter' && (step.name === 'default' || step.name === 'd');
const testsPresence = (step: Step) =>
  step.kind === 'test' && ['defined', 'undefined', 'none'].includes(step.name);

function expressionsOf(step: Step): Expression[] {
  const found: readonly (Expression | undefined)[] =
    step.kind === 'item'
      ? [step.key]
      : step.kind === 'slice'
        ? [step.start, step.stop, step.step]
        : step.kind === 'filter'
          ? step.args
          : [step.arg];
  return found.filter((expression) => expression !== undefined);
}

/** The name that `name`, `name.attribute` or `name is defined` tests. */
function testedName(expression: Expression): string | undefined {
  if (expression.kind === 'name') return expression.name;
  if (expression.kind !== 'steps' || expression.base.kind !== 'name') return undefined;
  const tests = expression.steps.every((step) => step.kind === 'item' || testsPresence(step));
  return tests ? expression.base.name : undefined;
}

/** `a or b` tests both names: the author is responsible for either being missing. */
function proofOf(condition: Expression): Proof {
  if (condition.kind === 'not') {
    const { ifTrue, ifFalse } = proofOf(condition.operand);
    return { ifTrue: ifFalse, ifFalse: ifTrue };
  }
  if (condition.kind === 'and' || condition.kind === 'or') {
    const proofs = condition.operands.map((operand) => proofOf(operand));
    return {
      ifTrue: proofs.flatMap(({ ifTrue }) => ifTrue),
      ifFalse: proofs.flatMap(({ ifFalse }) => ifFalse),
    };
  }
  const name = testedName(condition);
  const names = name === undefined ? [] : [name];
  const test = condition.kind === 'steps' ? condition.steps.findLast(testsPresence) : undefined;
  const asksForAbsence = test?.kind === 'test' && (test.name === 'defined') === test.negated;
  return asksForAbsence ? { ifTrue: [], ifFalse: names } : { ifTrue: names, ifFalse: [] };
}

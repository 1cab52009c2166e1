import type { Expression, FilterStep, FunctionName, Statement, Step, Target } from './ast.js';
import { escapeHtml, rewrite } from './escape.js';
import { ITEM_UNITS, LIMITS, type Limits, Meter } from './limits.js';
import { operate, rangeOf, sliceOf } from './operations.js';
import { parseTemplate } from './parser.js';
import { TemplateError } from './template-error.js';
import {
  areEqual,
  isList,
  isTruthy,
  itemOf,
  itemsOf,
  kindOf,
  type Mapping,
  numberOf,
  print,
  Safe,
  type Value,
} from './values.js';

/** Whether the result is escaped for HTML: values that are not marked `|safe`, or everything else, too. */
export type Escape = boolean | 'all';

// A parsed character of a tag takes about thirty times the space of a character of text.
const TAG_WEIGHT = 32;

/** A parsed template, which renders any number of values. */
export class Template {
  /** the space it takes, in characters */
  readonly weight: number;
  private readonly body: readonly Statement[];

  /** @throws TemplateError */
  constructor(readonly source: string) {
    this.body = parseTemplate(source);
    this.weight = source.length + TAG_WEIGHT * (source.length - textLength(this.body));
  }

  /**
   * @param values JSON
   * @param escape values are escaped for HTML; `all`: so is the plain text around them
   * @throws TemplateError with the line that could not be rendered
   */
  render(values: Readonly<Record<string, unknown>>, escape: Escape, limits: Limits = LIMITS): string {
    const rendering = new Rendering(values as Mapping, escape, limits);
    try {
      return rendering.run(this.body);
    } catch (error) {
      if (error instanceof TemplateError) throw error.located(this.source, rendering.at);
      if (error instanceof RangeError) throw new TemplateError('values are nested too deep');
      throw error;
    }
  }
}

/** The length of the text between tags. */
function textLength(body: readonly Statement[]): number {
  return body.reduce((sum, statement) => sum + textLengthOf(statement), 0);
}

function textLengthOf(statement: Statement): number {
  switch (statement.kind) {
    case 'text':
      return statement.text.length;
    case 'if':
      return (
        textLength(statement.branches.flatMap((branch) => branch.body)) + textLength(statement.otherwise)
      );
    case 'for':
      return textLength(statement.body) + textLength(statement.otherwise);
    case 'capture':
    case 'with':
      return textLength(statement.body);
    default:
      return 0;
  }
}

/** The names of one block or one iteration of a loop. */
interface Scope {
  readonly names: Map<string, Value>;
  readonly loop: Loop | undefined;
  readonly outer: Scope | undefined;
}

interface Loop {
  readonly items: readonly Value[];
  index: number;
  /** the last arguments of `loop.changed` */
  seen?: readonly Value[];
}

class Rendering {
  /** the tag that is being rendered, for errors */
  at = 0;
  private text = '';
  private captures = 0;
  private scope: Scope = { names: new Map(), loop: undefined, outer: undefined };
  private readonly meter: Meter;

  constructor(
    private readonly values: Mapping,
    private readonly escape: Escape,
    private readonly limits: Limits,
  ) {
    this.meter = new Meter(limits);
  }

  run(body: readonly Statement[]): string {
    this.renderBody(body);
    // bytes are at most three times the characters that were counted on the way
    if (Buffer.byteLength(this.text) > this.limits.outputBytes) throw this.meter.tooLong();
    return this.text;
  }

  private renderBody(body: readonly Statement[]): void {
    for (const statement of body) this.renderStatement(statement);
  }

  private renderStatement(statement: Statement): void {
    if (statement.kind === 'text') return this.writeText(statement.text);
    this.at = statement.at;
    this.meter.work(1);
    switch (statement.kind) {
      case 'output':
        return this.writeValue(this.evaluate(statement.value));
      case 'if':
        return this.renderIf(statement);
      case 'for':
        return this.renderFor(statement);
      case 'set':
        return this.assign(statement.target, this.evaluate(statement.value));
      case 'capture':
        return this.renderCapture(statement);
      case 'with':
        return this.renderWith(statement);
    }
  }

  private writeText(text: string): void {
    this.write(this.escape === 'all' ? escapeHtml(text) : text);
  }

  private write(text: string): void {
    if (this.captures > 0) this.meter.make(text.length);
    else this.meter.write(text.length);
    this.text += text;
  }

  private writeValue(value: Value): void {
    const text = print(value, this.meter);
    if (!this.escape || typeof value !== 'string') {
      this.write(this.escape && isStructure(value) ? rewrite(text, escapeHtml, this.meter) : text);
    } else this.write(text.length < 16_384 ? escapeHtml(text) : rewrite(text, escapeHtml, this.meter));
  }

  private renderIf({ branches, otherwise }: Statement & { kind: 'if' }): void {
    const branch = branches.find(({ condition }) => isTruthy(this.evaluate(condition)));
    this.renderBody(branch?.body ?? otherwise);
  }

  private renderFor(statement: Statement & { kind: 'for' }): void {
    const items = this.loopItems(statement);
    if (items.length === 0) return this.renderBody(statement.otherwise);
    const loop: Loop = { items, index: 0 };
    // one scope for all iterations: a name that one sets is visible in the next
    this.inScope(loop, () => {
      for (; loop.index < items.length; loop.index++) {
        if (!statement.filter) this.meter.step();
        this.assign(statement.target, items[loop.index]);
        this.renderBody(statement.body);
        this.at = statement.at;
      }
    });
  }

  /** The items of the loop: `loop.length` counts those that pass its filter. */
  private loopItems({ items, filter, target }: Statement & { kind: 'for' }): readonly Value[] {
    const all = itemsOf(this.evaluate(items), this.meter);
    if (!filter) return all;
    this.meter.make(all.length * ITEM_UNITS);
    return all.filter((item) => {
      this.meter.step();
      return this.inScope(undefined, () => {
        this.assign(target, item);
        return isTruthy(this.evaluate(filter));
      });
    });
  }

  private renderCapture({ name, filters, body }: Statement & { kind: 'capture' }): void {
    const before = this.text;
    this.text = '';
    this.captures += 1;
    this.renderBody(body);
    this.captures -= 1;
    let value: Value = this.escape ? new Safe(this.text) : this.text;
    this.text = before;
    for (const step of filters) value = this.applyFilter(value, step);
    this.assign({ names: [name], unpacks: false }, value);
  }

  private renderWith({ bindings, body }: Statement & { kind: 'with' }): void {
    this.inScope(undefined, () => {
      for (const { target, value } of bindings) this.assign(target, this.evaluate(value));
      this.renderBody(body);
    });
  }

  private inScope<T>(loop: Loop | undefined, run: () => T): T {
    const outer = this.scope;
    this.scope = { names: new Map(), loop, outer };
    const result = run();
    this.scope = outer;
    return result;
  }

  private assign({ names, unpacks }: Target, value: Value): void {
    if (!unpacks) return void this.scope.names.set(names[0], value ?? undefined);
    if (value !== undefined && value !== null && !isList(value)) {
      throw new TemplateError(`${kindOf(value)} cannot be split into ${names.length} names`);
    }
    if (value && value.length !== names.length) {
      throw new TemplateError(`a list of ${value.length} cannot be split into ${names.length} names`);
    }
    names.forEach((name, index) => this.scope.names.set(name, value?.[index] ?? undefined));
  }

  private evaluate(expression: Expression): Value {
    this.meter.work(1);
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'name':
        return this.lookUp(expression.name);
      case 'steps':
        return expression.steps.reduce<Value>(
          (value, step) => this.takeStep(value, step),
          this.evaluate(expression.base),
        );
      case 'operation':
        return expression.rest.reduce<Value>(
          (left, { operator, right }) => operate(operator, left, this.evaluate(right), this.meter),
          this.evaluate(expression.first),
        );
      case 'and':
      case 'or':
        return this.decide(expression);
      case 'not':
        return !isTruthy(this.evaluate(expression.operand));
      case 'negate':
        return operate('-', 0, this.evaluate(expression.operand), this.meter);
      case 'conditional':
        if (isTruthy(this.evaluate(expression.condition))) return this.evaluate(expression.value);
        return expression.otherwise && this.evaluate(expression.otherwise);
      case 'list':
        this.meter.make(expression.items.length * ITEM_UNITS);
        return expression.items.map((item) => this.evaluate(item));
      case 'mapping':
        return this.makeMapping(expression);
      case 'call':
        return this.call(expression.name, expression.args);
    }
  }

  private lookUp(name: string): Value {
    for (let scope: Scope | undefined = this.scope; scope; scope = scope.outer) {
      if (scope.names.has(name)) return scope.names.get(name);
      if (name === 'loop' && scope.loop) return this.describeLoop(scope.loop);
    }
    return itemOf(this.values, name, this.meter);
  }

  /** `and` and `or` give the operand that decided. */
  private decide({ kind, operands }: Expression & { kind: 'and' | 'or' }): Value {
    let value: Value;
    for (const operand of operands) {
      value = this.evaluate(operand);
      if (isTruthy(value) === (kind === 'or')) return value;
    }
    return value;
  }

  private takeStep(value: Value, step: Step): Value {
    switch (step.kind) {
      case 'item':
        return itemOf(value, this.evaluate(step.key), this.meter);
      case 'slice': {
        const [start, stop, size] = [step.start, step.stop, step.step].map(
          (bound) => bound && this.evaluate(bound),
        );
        return sliceOf(value, [start, stop, size], this.meter);
      }
      case 'filter':
        return this.applyFilter(value, step);
      case 'test':
        return step.test.holds(value, step.arg && this.evaluate(step.arg), this.meter) !== step.negated;
    }
  }

  private applyFilter(value: Value, { filter, args }: FilterStep): Value {
    return filter.apply(
      value,
      args.map((arg) => arg && this.evaluate(arg)),
      this.meter,
    );
  }

  private makeMapping({ entries }: Expression & { kind: 'mapping' }): Mapping {
    this.meter.make(entries.length * 2 * ITEM_UNITS);
    const mapping: Record<string, Value> = Object.create(null);
    for (const [key, value] of entries) mapping[print(this.evaluate(key), this.meter)] = this.evaluate(value);
    return mapping;
  }

  private call(name: FunctionName, args: readonly Expression[]): Value {
    const values = args.map((arg) => this.evaluate(arg));
    if (name === 'range') return rangeOf(values, this.meter);
    let scope: Scope | undefined = this.scope;
    while (scope && !scope.loop) scope = scope.outer;
    const loop = scope?.loop;
    if (!loop) throw new TemplateError(`${name} is called outside of a loop`);
    if (name === 'loop.cycle') return values[loop.index % values.length];
    const changed = !loop.seen || !areEqual(loop.seen, values, this.meter);
    loop.seen = values;
    return changed;
  }

  private describeLoop({ items, index }: Loop): Mapping {
    return {
      index: index + 1,
      index0: index,
      revindex: items.length - index,
      revindex0: items.length - index - 1,
      first: index === 0,
      last: index === items.length - 1,
      length: items.length,
      // the recursion depth; recursion is not supported
      depth: 1,
      depth0: 0,
      previtem: items[index - 1] ?? undefined,
      nextitem: items[index + 1] ?? undefined,
    };
  }
}

/** Lists and mappings: their texts have quotes, and any content. */
const isStructure = (value: Value) =>
  value !== undefined &&
  !(value instanceof Safe) &&
  typeof value !== 'string' &&
  numberOf(value) === undefined;

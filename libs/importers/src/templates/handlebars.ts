import Handlebars from 'handlebars';
import { HELPERS, type Helper } from './handlebars-helpers.table.js';
import {
  literalText,
  nameProblem,
  Problems,
  quoted,
  withStep,
  type Translation,
  type TranslationNames,
} from './translation.js';

type Node = hbs.AST.Node;
type Expression = hbs.AST.Expression;

export interface HandlebarsOptions extends TranslationNames {
  /** Mustachio: `{{#name}}` is the scope of a value; in Handlebars it depends on the value what it is */
  readonly sections?: 'scope';
}

/** The most blocks within one another; our own templates have no more. */
const MAX_DEPTH = 100;
/** Blocks, and brackets: the time of the parser grows with the square of those within one another. */
const MAX_OPEN = 2_000;
/** The most characters of an expression: a name for one can be used twice in the next, and so on. */
const MAX_EXPRESSION = 2_000;

/** Around the current position: what `this` is, and what begins there. */
interface Scope {
  /** expression of the context; undefined: the values of the recipient */
  readonly context: string | undefined;
  readonly isLoop: boolean;
  /** expression of `@key` */
  readonly key: string | undefined;
  /** names of block parameters, and their expressions */
  readonly names: ReadonlyMap<string, string>;
}

const ROOT: Scope = { context: undefined, isLoop: false, key: undefined, names: new Map() };

/** Translates Handlebars, over the tree of its own parser. */
export function translateHandlebars(source: string, options: HandlebarsOptions): Translation {
  const opens = source.slice(source.indexOf('{{')).match(/\{\{~?[#^]|\(/g) ?? [];
  if (opens.length > MAX_OPEN) {
    const problem = `more than ${MAX_OPEN} blocks and brackets are not translated`;
    return { ok: false, problems: [{ line: 1, problem }] };
  }
  let program: hbs.AST.Program;
  try {
    program = Handlebars.parse(source);
  } catch (error) {
    const message = String((error as Error).message);
    const line = Number(/line (\d+)/.exec(message)?.[1] ?? 1);
    const problem = message
      .split('\n')
      .filter((text) => !/^[-.]*\^|^\.\.\./.test(text))
      .join(' ')
      .slice(0, 200);
    return { ok: false, problems: [{ line, problem: `is no Handlebars: ${problem}` }] };
  }
  const translator = new Translator(options);
  const text = translator.program(program);
  return translator.problems.result(text);
}

class Translator {
  readonly problems = new Problems();
  private scopes: Scope[] = [ROOT];
  private count = 0;
  private depth = 0;

  constructor(private readonly options: HandlebarsOptions) {}

  program({ body }: hbs.AST.Program): string {
    return body.map((statement) => this.statement(statement)).join('');
  }

  private get scope(): Scope {
    return this.scopes.at(-1) ?? ROOT;
  }

  private statement(node: hbs.AST.Statement): string {
    switch (node.type) {
      case 'ContentStatement':
        return literalText((node as hbs.AST.ContentStatement).value);
      case 'CommentStatement':
        return '';
      case 'MustacheStatement':
        return this.mustache(node as hbs.AST.MustacheStatement);
      case 'BlockStatement':
        return this.block(node as hbs.AST.BlockStatement);
      case 'PartialStatement':
      case 'PartialBlockStatement':
        return this.cannot(
          node,
          `partials ({{> ${nameOf((node as hbs.AST.PartialStatement).name)}}}) are not in our language: put its content here`,
        );
      default:
        return this.cannot(node, 'decorators and inline partials ({{*…}}) are not in our language');
    }
  }

  private mustache({ path, params, hash, escaped }: hbs.AST.MustacheStatement): string {
    const isCall = params.length > 0 || hash !== undefined;
    const value = isCall ? this.call(path, params, hash, 'value') : this.expression(path);
    return escaped ? `{{ ${value} }}` : `{{ ${compound(value)}|safe }}`;
  }

  private block(block: hbs.AST.BlockStatement): string {
    if (this.depth >= MAX_DEPTH) return this.cannot(block, `blocks are nested deeper than ${MAX_DEPTH}`);
    this.depth += 1;
    const made = this.blockOf(block);
    this.depth -= 1;
    return made;
  }

  private blockOf(block: hbs.AST.BlockStatement): string {
    const name = nameOf(block.path);
    const { params } = block;
    if (block.hash !== undefined)
      return this.cannot(block, `arguments with names (${name} …=…) are not translated`);
    if (params.length === 0) return this.section(block, name);
    if (name === 'if' || name === 'unless') return this.ifBlock(block, name === 'unless');
    if (name === 'each') return this.each(block);
    if (name === 'with') return this.with(block, this.argument(params[0]));
    const helper = this.helper(name);
    if (!helper?.condition) return this.cannot(block, `the helper ${name} is not known`);
    const condition = this.apply(block, name, helper.condition, params);
    return this.branches(condition, block);
  }

  private ifBlock(block: hbs.AST.BlockStatement, negated: boolean): string {
    if (block.params.length !== 1) return this.cannot(block, `${nameOf(block.path)} has one argument`);
    const condition = this.argument(block.params[0]);
    return this.branches(negated ? `not ${compound(condition)}` : condition, block);
  }

  private branches(condition: string, { program, inverse }: hbs.AST.BlockStatement): string {
    const yes = program ? this.program(program) : '';
    const no = inverse ? `{% else %}${this.program(inverse)}` : '';
    return `{% if ${condition} %}${yes}${no}{% endif %}`;
  }

  /** `{{#name}}` without arguments, or `{{^name}}`. */
  private section(block: hbs.AST.BlockStatement, name: string): string {
    const value = this.expression(block.path);
    // the parser gives `{{^name}}` no program
    if (!block.program || isEmpty(block.program)) {
      return block.inverse ? `{% if not ${compound(value)} %}${this.program(block.inverse)}{% endif %}` : '';
    }
    if (this.options.sections === 'scope') return this.with(block, value);
    return this.cannot(
      block,
      `{{#${name}}} is a loop, a scope or a test, as its value is: write {{#each ${name}}}, {{#with ${name}}} or {{#if ${name}}}`,
    );
  }

  private with(block: hbs.AST.BlockStatement, value: string): string {
    const [alias] = block.program?.blockParams ?? [];
    const names = new Map(alias === undefined ? [] : [[alias, value]]);
    const inside = { ...this.scope, context: value, names: new Map([...this.scope.names, ...names]) };
    const yes = this.inScope({ ...inside, isLoop: false }, () => this.program(block.program));
    const no = block.inverse ? `{% else %}${this.program(block.inverse)}` : '';
    return `{% if ${value} %}${yes}${no}{% endif %}`;
  }

  private each(block: hbs.AST.BlockStatement): string {
    const items = this.argument(block.params[0]);
    const [itemName, keyName] = block.program?.blockParams ?? [];
    this.count += 1;
    const [item, key] = [`item${this.count}`, `key${this.count}`];
    // an object has keys, and those of an array are its indexes
    const hasKeys = usesKey(block.program);
    const names = new Map(this.scope.names);
    if (itemName !== undefined) names.set(itemName, item);
    if (keyName !== undefined) names.set(keyName, 'loop.index0');
    const scope = { context: item, isLoop: true, key: hasKeys ? key : undefined, names };
    const body = this.inScope(scope, () => this.program(block.program));
    const no = block.inverse ? `{% else %}${this.program(block.inverse)}` : '';
    if (!hasKeys) return `{% for ${item} in ${compound(items)} %}${body}${no}{% endfor %}`;
    const pair = `pair${this.count}`;
    const pairs = `${compound(items)}|items if ${compound(items)} is mapping else ${compound(items)}|batch(1)`;
    const keys = `${pair}|first if ${compound(items)} is mapping else loop.index0`;
    const set = `{% set ${key} = ${keys} %}{% set ${item} = ${pair}|last %}`;
    return `{% for ${pair} in (${pairs}) %}${set}${body}${no}{% endfor %}`;
  }

  private inScope(scope: Scope, run: () => string): string {
    this.scopes.push(scope);
    const text = run();
    this.scopes.pop();
    return text;
  }

  private argument(node: Expression | undefined): string {
    return node ? this.expression(node) : 'none';
  }

  private expression(node: Expression): string {
    const made = this.expressionOf(node);
    return made.length > MAX_EXPRESSION ? this.cannot(node, 'an expression is too long') : made;
  }

  private expressionOf(node: Expression): string {
    switch (node.type) {
      case 'PathExpression':
        return this.path(node as hbs.AST.PathExpression);
      case 'StringLiteral':
        return quoted((node as hbs.AST.StringLiteral).value);
      case 'NumberLiteral':
        return String((node as hbs.AST.NumberLiteral).value);
      case 'BooleanLiteral':
        return String((node as hbs.AST.BooleanLiteral).value);
      case 'NullLiteral':
      case 'UndefinedLiteral':
        return 'none';
      case 'SubExpression': {
        const { path, params, hash } = node as hbs.AST.SubExpression;
        return `(${this.call(path, params, hash, 'condition')})`;
      }
      default:
        return this.cannot(node, `${node.type} is not translated`);
    }
  }

  private call(
    path: Expression,
    params: Expression[],
    hash: hbs.AST.Hash | undefined,
    as: keyof Helper,
  ): string {
    const name = nameOf(path);
    if (hash !== undefined) return this.cannot(path, `arguments with names (${name} …=…) are not translated`);
    const helper = this.helper(name);
    const apply = helper?.[as] ?? helper?.condition ?? helper?.value;
    if (!apply) return this.cannot(path, `the helper ${name} is not known`);
    return this.apply(path, name, apply, params);
  }

  private helper(name: string): Helper | undefined {
    const { helpers } = this.options;
    return HELPERS.handlebars[name] ?? (helpers === undefined ? undefined : HELPERS[helpers][name]);
  }

  private apply(
    node: Node,
    name: string,
    apply: NonNullable<Helper[keyof Helper]>,
    params: Expression[],
  ): string {
    const texts = params.map((param) =>
      param.type === 'StringLiteral' ? (param as hbs.AST.StringLiteral).value : undefined,
    );
    const made = apply(
      params.map((param) => this.expression(param)),
      texts,
    );
    return made ?? this.cannot(node, `the helper ${name} does not take these arguments`);
  }

  private path(path: hbs.AST.PathExpression): string {
    const { original } = path;
    const mapped = this.options.names[String(original)];
    if (mapped !== undefined && !path.data && path.depth === 0) return mapped;
    if (path.data) return this.dataPath(path);
    const parts = path.parts.map(String);
    const [first] = parts;
    if (path.depth === 0 && first !== undefined && !/^(?:this\b|\.)/.test(String(original))) {
      const alias = this.scope.names.get(first);
      if (alias !== undefined) return this.steps(path, alias, parts.slice(1));
    }
    const scope = this.scopes.at(-1 - path.depth);
    if (!scope) return this.cannot(path, `${original} leads out of the template`);
    return this.steps(path, scope.context, parts);
  }

  private steps(node: Node, context: string | undefined, parts: readonly string[]): string {
    const [first, ...rest] = parts;
    if (context !== undefined) return stepped(context, parts);
    if (first === undefined) return this.cannot(node, 'this, outside of a block, is all values at once');
    const problem = nameProblem(first);
    return problem === undefined ? stepped(first, rest) : this.cannot(node, problem);
  }

  private dataPath(path: hbs.AST.PathExpression): string {
    const [name = '', ...rest] = path.parts.map(String);
    if (path.depth > 0)
      return this.cannot(path, `${path.original}: a loop around a loop cannot be asked from within`);
    if (name === 'root') return this.steps(path, undefined, rest);
    const loop = this.scopes.findLast(({ isLoop }) => isLoop);
    if (!loop) return this.cannot(path, `${path.original} is outside of a loop`);
    if (name === 'key') return loop.key ?? 'loop.index0';
    const ours = { index: 'loop.index0', first: 'loop.first', last: 'loop.last' }[name];
    return ours ?? this.cannot(path, `${path.original} is not known`);
  }

  private cannot(node: Node, problem: string): string {
    return this.problems.add(node.loc.start.line, problem);
  }
}

/** The last step `length` is the number of items. */
function stepped(base: string, parts: readonly string[]): string {
  const counts = parts.at(-1) === 'length';
  const path = (counts ? parts.slice(0, -1) : parts).reduce(withStep, base);
  return counts ? `${path}|length` : path;
}

const nameOf = (node: Node): string => String((node as hbs.AST.PathExpression).original ?? node.type);
const isEmpty = ({ body }: hbs.AST.Program): boolean => body.length === 0;
/** Expressions that bind weaker than a filter get brackets. */
const compound = (value: string): string =>
  /^[\w.[\]"]+(?:\|length)?$|^\(.*\)$/.test(value) ? value : `(${value})`;

/** Whether `@key` of this loop is used: in it, but not in a loop within. */
function usesKey(program: hbs.AST.Program | undefined): boolean {
  let found = false;
  const search = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || found) return;
    if (Array.isArray(value)) return value.forEach(search);
    const { type } = value as Node;
    if (type === 'PathExpression') {
      const { data, depth, parts } = value as hbs.AST.PathExpression;
      if (data && depth === 0 && String(parts[0]) === 'key') found = true;
      return;
    }
    const { path, params, inverse } = value as hbs.AST.BlockStatement;
    if (type === 'BlockStatement' && nameOf(path) === 'each') return search([params, inverse]);
    for (const [name, inner] of Object.entries(value)) if (name !== 'loc') search(inner);
  };
  search(program);
  return found;
}

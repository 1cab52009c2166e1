import type { Filter } from './filters.js';
import type { Test } from './tests.js';
import type { Value } from './values.js';

// Operators, filters and attributes that follow one another are lists, not nested nodes: only brackets and blocks
// nest, and the parser bounds their depth. `at` is an offset in the source.

export type Operator =
  '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in' | '+' | '-' | '~' | '*' | '/' | '//' | '%' | '**';

export type Expression =
  | { readonly kind: 'literal'; readonly value: Value }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'mapping'; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: 'negate' | 'not'; readonly operand: Expression }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] }
  | { readonly kind: 'operation'; readonly first: Expression; readonly rest: readonly Operation[] }
  | {
      readonly kind: 'conditional';
      readonly value: Expression;
      readonly condition: Expression;
      readonly otherwise: Expression | undefined;
    }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly args: readonly Expression[] }
  | { readonly kind: 'steps'; readonly base: Expression; readonly steps: readonly Step[] };

export interface Operation {
  readonly operator: Operator;
  readonly right: Expression;
}

export const FUNCTIONS = ['range', 'loop.cycle', 'loop.changed'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

/** The steps after a value: `.name`, `[index]`, `[1:2]`, `|filter(…)`, `is test`. */
export type Step =
  | { readonly kind: 'item'; readonly key: Expression }
  | {
      readonly kind: 'slice';
      readonly start: Expression | undefined;
      readonly stop: Expression | undefined;
      readonly step: Expression | undefined;
    }
  | FilterStep
  | {
      readonly kind: 'test';
      readonly name: string;
      readonly test: Test;
      readonly negated: boolean;
      readonly arg: Expression | undefined;
    };

export interface FilterStep {
  readonly kind: 'filter';
  readonly name: string;
  readonly filter: Filter;
  /** by position, named ones put in their places */
  readonly args: readonly (Expression | undefined)[];
}

/** The target of an assignment: one name, or several that each get an item. */
export interface Target {
  readonly names: readonly [string, ...string[]];
  readonly unpacks: boolean;
}

export interface Branch {
  readonly condition: Expression;
  readonly body: readonly Statement[];
}

export type Statement =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly at: number; readonly value: Expression }
  | {
      readonly kind: 'if';
      readonly at: number;
      readonly branches: readonly Branch[];
      readonly otherwise: readonly Statement[];
    }
  | {
      readonly kind: 'for';
      readonly at: number;
      readonly target: Target;
      readonly items: Expression;
      readonly filter: Expression | undefined;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
    }
  | { readonly kind: 'set'; readonly at: number; readonly target: Target; readonly value: Expression }
  | {
      readonly kind: 'capture';
      readonly at: number;
      readonly name: string;
      readonly filters: readonly FilterStep[];
      readonly body: readonly Statement[];
    }
  | {
      readonly kind: 'with';
      readonly at: number;
      readonly bindings: readonly { readonly target: Target; readonly value: Expression }[];
      readonly body: readonly Statement[];
    };

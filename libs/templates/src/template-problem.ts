import { createHash } from 'node:crypto';
import { FILTERS } from './language/filters.js';
import { parseTemplate } from './language/parser.js';
import { TemplateError } from './language/template-error.js';
import { TESTS } from './language/tests.js';

// To be raised when the parser accepts another language than before.
const GRAMMAR = 1;

/** Differs between releases that may differ in what can be rendered; 16 hexadecimal digits. */
export const TEMPLATE_LANGUAGE: string = createHash('sha256')
  .update(JSON.stringify([GRAMMAR, [...FILTERS.keys()].toSorted(), [...TESTS.keys()].toSorted()]))
  .digest('hex')
  .slice(0, 16);

/** @returns whether there is anything to render: a text without these marks is literal */
export function holdsTemplate(source: string): boolean {
  return /\{[{%#]/.test(source);
}

/**
 * @returns the problem with its line: `line 3: unknown filter "shout"`; undefined when it can. Problems of some
 *   values only (a loop over a number) are found by rendering.
 */
export function templateProblem(source: string): string | undefined {
  if (!holdsTemplate(source)) return undefined;
  try {
    parseTemplate(source);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateError) return error.reason;
    throw error;
  }
}

import { createHash } from 'node:crypto';
import { FILTERS } from './language/filters.js';
import { parseTemplate } from './language/parser.js';
import { TemplateError } from './language/template-error.js';
import { TESTS } from './language/tests.js';

// To be raised when the parser takes something else than before.
const GRAMMAR = 1;

/** Differs between releases that may think differently about what can be rendered; 16 hexadecimal digits. */
export const TEMPLATE_LANGUAGE: string = createHash('sha256')
  .update(JSON.stringify([GRAMMAR, [...FILTERS.keys()].toSorted(), [...TESTS.keys()].toSorted()]))
  .digest('hex')
  .slice(0, 16);

/** @returns whether there is anything to render: without one of these marks a text is what it says */
export function holdsTemplate(source: string): boolean {
  return /\{[{%#]/.test(source);
}

/**
 * @returns why it cannot be rendered, with the line: `line 3: unknown filter "shout"`; undefined when it can. What is
 * wrong only with some values (a list that is no list) is found by rendering.
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

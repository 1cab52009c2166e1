import { parseTemplate } from './language/parser.js';
import { TemplateError } from './language/template-error.js';

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

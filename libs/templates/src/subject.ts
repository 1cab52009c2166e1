import { LIMITS, Meter } from './language/limits.js';
import { TemplateError } from './language/template-error.js';
import { print, type Value } from './language/values.js';
import { holdsTemplate } from './template-problem.js';

const NON_ASCII = /[^\u0000-\u007f]/;
const VARIABLE = /\{\{ *([A-Za-z_][A-Za-z0-9_]*) *\}\}/g;

/**
 * Spec 2-messages §4 rules 10-12: a subject with characters beyond ASCII may hold nothing but `{{ name }}`, with
 * ordinary spaces, and may not become a template by its values.
 * @param values those of one recipient
 * @returns the problem; undefined without one, and for a subject in ASCII
 */
export function subjectProblem(
  subject: string,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  if (!NON_ASCII.test(subject) || !holdsTemplate(subject)) return undefined;
  // the replacement of a variable joins no marks
  if (holdsTemplate(subject.replace(VARIABLE, '\0'))) {
    return 'a subject with characters beyond ASCII may hold {{ name }} only';
  }
  const ends = new Map<string, string>();
  for (const [, name = ''] of subject.matchAll(VARIABLE)) {
    if (ends.has(name)) continue;
    const text = textOf(Object.hasOwn(values, name) ? (values[name] as Value) : undefined);
    if (text === undefined || holdsTemplate(text)) {
      return `the value of ${name} in the subject may not hold {{, {% or {#`;
    }
    ends.set(name, endsOf(text));
  }
  const combined = subject.replace(VARIABLE, (_match, name: string) => ends.get(name) ?? '');
  return holdsTemplate(combined) ? 'the subject and its values together make a {{, {% or {#' : undefined;
}

/**
 * Its first and its last character, the only ones that can form a mark with the adjacent text: a value may be
 * large.
 */
const endsOf = (text: string): string => (text.length < 3 ? text : `${text.at(0)}\0${text.at(-1)}`);

/** @returns undefined for a value that is too large to be printed */
function textOf(value: Value): string | undefined {
  try {
    return print(value, new Meter(LIMITS));
  } catch (error) {
    if (error instanceof TemplateError || error instanceof RangeError) return undefined;
    throw error;
  }
}

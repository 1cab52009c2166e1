/** Our template, or every place that cannot be translated. Never a part of a template. */
export type Translation =
  | { readonly ok: true; readonly source: string }
  | { readonly ok: false; readonly problems: readonly TemplateProblem[] };

export interface TemplateProblem {
  /** in the template of the other service, from 1 */
  readonly line: number;
  readonly problem: string;
}

export interface TranslationNames {
  /** our name of a variable, by theirs */
  readonly names: Readonly<Record<string, string>>;
  readonly helpers?: 'sendgrid' | 'mailgun' | undefined;
}

/** More problems of a template are not kept: a person reads no further. */
const MAX_PROBLEMS = 100;

/** Collects what cannot be translated, so that a person sees all of it at once. */
export class Problems {
  readonly found: TemplateProblem[] = [];

  /** @returns a text for the place, so that the next problem is found as well */
  add(line: number, problem: string): string {
    if (this.found.length < MAX_PROBLEMS) this.found.push({ line, problem });
    return 'none';
  }

  result(source: string): Translation {
    const problems = this.found.toSorted((a, b) => a.line - b.line);
    return problems.length > 0 ? { ok: false, problems } : { ok: true, source };
  }
}

/** Text that is no template: braces that our language would take for the beginning of one are written as a value. */
export const literalText = (text: string): string => text.replace(/\{(?=[{%#]|$)/g, '{{ "{" }}');

/** A text in quotes of our language. */
export const quoted = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (character) => character);

const NAME = /^[\p{ID_Start}_]\p{ID_Continue}*$/u;
const WORDS = new Set(
  'true True false False none None loop self and or not in is if else elif for set with range'.split(' '),
);

/** @returns why a variable cannot have this name in our templates; undefined when it can */
export function nameProblem(name: string): string | undefined {
  if (!NAME.test(name))
    return `the variable ${JSON.stringify(name)} has characters that names do not have here`;
  return WORDS.has(name) ? `the variable ${name} has the name of a word of our language` : undefined;
}

/** `base.name`, or `base["na-me"]`, or `base[0]`. */
export function withStep(base: string, step: string): string {
  if (/^\d{1,9}$/.test(step)) return `${base}[${Number(step)}]`;
  return NAME.test(step) ? `${base}.${step}` : `${base}[${quoted(step)}]`;
}

const LINE_FEED = 0x0a;

/** @returns the line of an offset, from 1. Offsets are asked for in their order, so that the text is read once. */
export function linesOf(text: string): (offset: number) => number {
  let [line, at] = [1, 0];
  return (offset) => {
    for (; at < offset; at += 1) if (text.charCodeAt(at) === LINE_FEED) line += 1;
    return line;
  };
}

import {
  linesOf,
  literalText,
  nameProblem,
  Problems,
  quoted,
  type Translation,
  type TranslationNames,
} from './translation.js';

const PLACEHOLDER = /\{\{\{?\s*([^{}|\n]{1,200}?)\s*(?:\|([^{}\n]{0,1000}?))?\s*\}\}\}?/g;

export interface PlaceholderOptions extends TranslationNames {
  /** values of variables that are not given */
  readonly fallbacks?: ReadonlyMap<string, unknown>;
}

/** Translates the variables of Resend: `{{{NAME}}}`, `{{{NAME|there}}}`. They are not escaped. */
export function translatePlaceholders(source: string, { names, fallbacks }: PlaceholderOptions): Translation {
  const problems = new Problems();
  const variable = (found: RegExpMatchArray, line: number): string => {
    const [whole, given = '', inline] = found;
    if (!whole.startsWith('{{{') || !whole.endsWith('}}}')) {
      return problems.add(line, `${whole} is no variable: those have three braces`);
    }
    const name = given.replace(/^contact\./, '');
    const ours = names[name] ?? names[name.toUpperCase()] ?? name;
    const problem = nameProblem(ours);
    if (problem !== undefined) return problems.add(line, problem);
    const fallback = inline ?? fallbacks?.get(name);
    const text =
      fallback === undefined || fallback === null ? '' : `|default(${quoted(String(fallback))}, true)`;
    return `{{ ${ours}${text}|safe }}`;
  };
  const lineAt = linesOf(source);
  let made = '';
  let from = 0;
  for (const found of source.matchAll(PLACEHOLDER)) {
    made += literalText(source.slice(from, found.index)) + variable(found, lineAt(found.index));
    from = found.index + found[0].length;
  }
  return problems.result(made + literalText(source.slice(from)));
}

import { attributeKey } from '../contacts/contact-rows.rules.js';
import {
  linesOf,
  literalText,
  nameProblem,
  Problems,
  quoted,
  withStep,
  type Translation,
  type TranslationNames,
} from './translation.js';

// a comment has no other one in it, so that the end of the text is not looked for from each beginning
const MARK = /\{\{([^{}]*)\}\}|\{%([^{}]*?)%\}|\{#(?:[^#{]|#(?!\})|\{(?!#))*#\}/g;
const TOKEN =
  /\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(-?\d+(?:\.\d+)?)|([A-Za-z_][\w.-]*)|(==|!=|<=|>=|<|>|\||:|\(|\)))/y;

/** Filters by their names there. An argument comes after a colon. */
const FILTERS: Readonly<Record<string, (argument: string | undefined) => string | undefined>> = {
  default: (argument) => (argument === undefined ? undefined : `default(${argument}, true)`),
  upper: () => 'upper',
  lower: () => 'lower',
  title: () => 'title',
  capfirst: () => 'capitalize',
  length: () => 'length',
  first: () => 'first',
  last: () => 'last',
  join: (argument) => `join(${argument ?? '""'})`,
  safe: () => 'safe',
};
const OPERATORS = new Set(['==', '!=', '<=', '>=', '<', '>', '(', ')']);
const WORDS = new Set(['and', 'or', 'not', 'in', 'true', 'false']);
const CONTACT: Readonly<Record<string, string>> = {
  firstname: 'first_name',
  lastname: 'last_name',
  email: 'email',
};

/** Translates the template language of Brevo, which is a dialect of Django's. */
export function translateBrevo(source: string, { names }: TranslationNames): Translation {
  const problems = new Problems();
  const loops: string[] = [];
  const blocks: string[] = [];

  const variable = (path: string, line: number): string => {
    if (Object.hasOwn(names, path)) return names[path] ?? '';
    const [first = '', ...rest] = path.split('.');
    if (loops.includes(first)) return rest.reduce(withStep, first);
    if (first === 'contact' && rest[0] !== undefined) {
      return rest.slice(1).reduce(withStep, CONTACT[rest[0].toLowerCase()] ?? attributeKey(rest[0]));
    }
    if (first !== 'params' || rest[0] === undefined) {
      return problems.add(line, `the variable ${path} is neither of contact nor of params`);
    }
    const problem = nameProblem(rest[0]);
    return problem === undefined ? rest.slice(1).reduce(withStep, rest[0]) : problems.add(line, problem);
  };

  const expression = (text: string, line: number): string => {
    const tokens = tokensOf(text);
    if (!tokens) return problems.add(line, `${text.trim()} is not understood`);
    const parts: string[] = [];
    for (let at = 0; at < tokens.length; at += 1) {
      const token = tokens[at] as Token;
      if (token.kind === 'literal') parts.push(token.text);
      else if (token.kind === 'sign' && token.text === '|') {
        const name = tokens[at + 1]?.text ?? '';
        const hasArgument = tokens[at + 2]?.text === ':' && tokens[at + 2]?.kind === 'sign';
        const argument = hasArgument ? tokens[at + 3]?.text : undefined;
        const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name]?.(argument) : undefined;
        parts.push(
          `${parts.pop() ?? ''}|${filter ?? problems.add(line, `the filter ${name} is not translated`)}`,
        );
        at += hasArgument ? 3 : 1;
      } else if (token.kind === 'sign' || WORDS.has(token.text)) {
        if (token.kind === 'sign' && !OPERATORS.has(token.text))
          problems.add(line, `${token.text} is not understood`);
        parts.push(token.text);
      } else parts.push(variable(token.text, line));
    }
    return parts.join(' ');
  };

  const tag = (text: string, line: number): string => {
    const [, word = '', rest = ''] = /^([a-z]+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
    if (word === 'if') blocks.push('if');
    if (word === 'if' || word === 'elif') return `{% ${word} ${expression(rest, line)} %}`;
    if (word === 'else' && rest === '') return '{% else %}';
    if (word === 'endif' || word === 'endfor') {
      if (blocks.pop() !== word.slice(3)) return problems.add(line, `{% ${word} %} ends nothing`);
      if (word === 'endfor') loops.pop();
      return `{% ${word} %}`;
    }
    const [, name, items] = word === 'for' ? (/^([A-Za-z_]\w*) in ([\s\S]+)$/.exec(rest) ?? []) : [];
    if (name === undefined || items === undefined)
      return problems.add(line, `{% ${text.trim()} %} is not translated`);
    const made = `{% for ${name} in ${expression(items, line)} %}`;
    blocks.push('for');
    loops.push(name);
    return made;
  };

  const lineAt = linesOf(source);
  let made = '';
  let from = 0;
  for (const found of source.matchAll(MARK)) {
    const line = lineAt(found.index);
    made += literalText(source.slice(from, found.index));
    if (found[1] !== undefined) made += `{{ ${expression(found[1], line)} }}`;
    else if (found[2] !== undefined) made += tag(found[2], line);
    from = found.index + found[0].length;
  }
  if (blocks.length > 0) problems.add(lineAt(source.length), `{% ${blocks.at(-1)} %} is not closed`);
  return problems.result(made + literalText(source.slice(from)));
}

interface Token {
  kind: 'literal' | 'name' | 'sign';
  text: string;
}

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  const trimmed = text.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const found = TOKEN.exec(trimmed);
    if (!found) return undefined;
    const [, double, single, number, name, sign] = found;
    const string = double ?? single;
    if (string !== undefined) tokens.push({ kind: 'literal', text: quoted(string.replace(/\\(.)/g, '$1')) });
    else if (number !== undefined) tokens.push({ kind: 'literal', text: number });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else tokens.push({ kind: 'sign', text: sign ?? '' });
  }
  return tokens.length > 0 ? tokens : undefined;
}

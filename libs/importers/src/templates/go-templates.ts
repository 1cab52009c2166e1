import { attributeKey } from '../contacts/contact-rows.rules.js';
import {
  linesOf,
  literalText,
  nameProblem,
  Problems,
  quoted,
  withStep,
  type Translation,
} from './translation.js';

const ACTION = /\{\{(-?)([\s\S]*?)(-?)\}\}/g;
const TOKEN =
  /\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`|(-?\d+(?:\.\d+)?)|(\$?[A-Za-z_]\w*(?:\.\w+)*|\$?(?:\.\w+)+|\.|\$)|(:=|\||\(|\)|,))/y;

/** Brackets within brackets of an action. */
const MAX_BRACKETS = 50;

/** Functions of Go's templates as operators of ours. */
const OPERATORS: Readonly<Record<string, string>> = {
  eq: '==',
  ne: '!=',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
};
/** Functions of listmonk that give a link. */
const LINKS: Readonly<Record<string, string>> = {
  UnsubscribeURL: 'unsubscribe_url',
  MessageURL: 'view_browser_url',
};
const SUBSCRIBER: Readonly<Record<string, string>> = {
  Email: 'email',
  FirstName: 'first_name',
  LastName: 'last_name',
  Name: '(first_name ~ " " ~ last_name)|trim',
};

/** Translates the Go templates of listmonk: variables, conditions and loops; Sprig's functions are named. */
export function translateGoTemplate(source: string): Translation {
  const translator = new GoTranslator();
  let made = '';
  let from = 0;
  let trims = false;
  const text = (to: number, trimsEnd: boolean) => {
    // a mark behind a link has it counted, as ours are
    let part = source.slice(from, to).replaceAll('@TrackLink', '');
    if (trims) part = part.trimStart();
    if (trimsEnd) part = part.trimEnd();
    return literalText(part);
  };
  const lineAt = linesOf(source);
  // up to the last end: behind it each beginning would be looked at to the end of the text
  for (const found of source.slice(0, source.lastIndexOf('}}') + 2).matchAll(ACTION)) {
    const [whole, left, action = '', right] = found;
    made += text(found.index, left === '-') + translator.action(action.trim(), lineAt(found.index));
    trims = right === '-';
    from = found.index + whole.length;
  }
  made += text(source.length, false);
  translator.end(lineAt(source.length));
  return translator.problems.result(made);
}

interface Block {
  word: string;
  /** what `.` is in it; undefined: all values */
  dot: string | undefined;
  names: readonly string[];
}

class GoTranslator {
  readonly problems = new Problems();
  private readonly blocks: Block[] = [];
  private count = 0;

  end(line: number): void {
    if (this.blocks.length > 0) this.problems.add(line, `{{ ${this.blocks.at(-1)?.word} }} has no {{ end }}`);
  }

  action(text: string, line: number): string {
    if (/^\/\*[\s\S]*\*\/$/.test(text)) return '';
    const [, word = '', rest = ''] =
      /^(if|else|end|range|with|template|block|define|break|continue)\b\s*([\s\S]*)$/.exec(text) ?? [];
    if (word === 'end') return this.close(line);
    if (word === 'else') {
      const [, condition] = /^if\s+([\s\S]+)$/.exec(rest) ?? [];
      return condition === undefined ? '{% else %}' : `{% elif ${this.pipeline(condition, line)} %}`;
    }
    if (word === 'if') return this.open({ word, dot: this.dot }, `if ${this.pipeline(rest, line)}`);
    if (word === 'with') {
      const value = this.pipeline(rest, line);
      return this.open({ word, dot: value }, `if ${value}`);
    }
    if (word === 'range') return this.range(rest, line);
    if (word !== '') return this.problems.add(line, `{{ ${word} }} is not in our language`);
    if (/^TrackView\b/.test(text)) return '';
    return `{{ ${this.pipeline(text, line)} }}`;
  }

  private get dot(): string | undefined {
    return this.blocks.at(-1)?.dot;
  }

  private open({ word, dot, names = [] }: Omit<Block, 'names'> & Partial<Block>, tag: string): string {
    this.blocks.push({ word, dot, names });
    return `{% ${tag} %}`;
  }

  private close(line: number): string {
    const block = this.blocks.pop();
    if (!block) return this.problems.add(line, '{{ end }} ends nothing');
    return block.word === 'range' ? '{% endfor %}' : '{% endif %}';
  }

  private range(text: string, line: number): string {
    const [, index, item, items = text] = /^(?:(\$\w+)\s*,\s*)?(\$\w+)\s*:=\s*([\s\S]+)$/.exec(text) ?? [];
    const list = this.pipeline(items, line);
    this.count += 1;
    const name = item === undefined ? `item${this.count}` : item.slice(1);
    const names = [item, index].flatMap((one) => (one === undefined ? [] : [one]));
    if (index !== undefined) this.problems.add(line, `range with an index (${index}) is not translated`);
    return this.open({ word: 'range', dot: name, names }, `for ${name} in ${list}`);
  }

  /** `operand`, `function operand …`, and what follows after a bar. */
  private pipeline(text: string, line: number): string {
    const tokens = tokensOf(text);
    if (!tokens) return this.problems.add(line, `${text} is not understood`);
    const commands: string[][] = [[]];
    let depth = 0;
    for (const token of tokens) {
      depth += token === '(' ? 1 : token === ')' ? -1 : 0;
      if (depth > MAX_BRACKETS) return this.problems.add(line, 'brackets are nested too deeply');
      if (token === '|' && depth === 0) commands.push([]);
      else commands.at(-1)?.push(token);
    }
    const [first = [], ...more] = commands;
    return more.reduce(
      (value, command) => this.call([...command, { made: value }], line),
      this.call(first, line),
    );
  }

  private call(words: readonly (string | { made: string })[], line: number): string {
    const operands = this.operands(words, line);
    const [head, ...rest] = operands;
    if (head === undefined) return this.problems.add(line, 'an action is empty');
    if (head.made !== undefined) {
      return rest.length === 0 ? head.made : this.problems.add(line, 'a value is followed by another one');
    }
    const name = head.word;
    const values = rest.map(
      (one) => one.made ?? this.problems.add(line, `the function ${one.word} is not known`),
    );
    const [a, b] = values;
    if (Object.hasOwn(LINKS, name)) return LINKS[name] ?? '';
    if (name === 'TrackLink' && a !== undefined) return a;
    if (name === 'Safe' && a !== undefined) return `${a}|safe`;
    if (name === 'not' && a !== undefined) return `(not ${a})`;
    if (name === 'len' && a !== undefined) return `${a}|length`;
    if ((name === 'and' || name === 'or') && values.length > 1) return `(${values.join(` ${name} `)})`;
    if (Object.hasOwn(OPERATORS, name) && a !== undefined && b !== undefined && values.length === 2) {
      return `(${a} ${OPERATORS[name]} ${b})`;
    }
    return this.problems.add(line, `the function ${name} is not translated`);
  }

  private operands(
    words: readonly (string | { made: string })[],
    line: number,
  ): { word: string; made?: string }[] {
    const operands: { word: string; made?: string }[] = [];
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at] as string | { made: string };
      if (typeof word !== 'string') operands.push({ word: '', made: word.made });
      else if (word === '(') {
        let depth = 1;
        const from = at + 1;
        while (depth > 0 && ++at < words.length) depth += words[at] === '(' ? 1 : words[at] === ')' ? -1 : 0;
        operands.push({ word: '', made: this.call(words.slice(from, at), line) });
      } else operands.push(this.operand(word, line));
    }
    return operands;
  }

  private operand(word: string, line: number): { word: string; made?: string } {
    if (/^["\d-]/.test(word)) return { word, made: word };
    if (word === 'true' || word === 'false') return { word, made: word };
    if (/^[A-Za-z_]/.test(word)) return { word };
    return { word, made: this.path(word, line) };
  }

  /** `.Subscriber.Attribs.city`, `.name` within a loop, `$item.name`. */
  private path(word: string, line: number): string {
    if (word.startsWith('$')) {
      const [name = '', ...rest] = word.split('.');
      const isKnown = this.blocks.some(({ names }) => names.includes(name));
      if (name !== '$') {
        return isKnown
          ? rest.reduce(withStep, name.slice(1))
          : this.problems.add(line, `the variable ${name} is not known`);
      }
      return this.ofRoot(rest, word, line);
    }
    const parts = word.split('.').filter((part) => part !== '');
    if (this.dot === undefined) return this.ofRoot(parts, word, line);
    return parts.reduce(withStep, this.dot);
  }

  private ofRoot(parts: readonly string[], word: string, line: number): string {
    const [first, second = '', third, ...rest] = parts;
    if (
      first === 'Subscriber' &&
      second !== 'Attribs' &&
      third === undefined &&
      SUBSCRIBER[second] !== undefined
    ) {
      return SUBSCRIBER[second];
    }
    if (first === 'Subscriber' && second === 'Attribs' && third !== undefined) {
      return rest.reduce(withStep, attributeKey(third));
    }
    if (first === 'Tx' && second === 'Data' && third !== undefined) {
      const problem = nameProblem(third);
      return problem === undefined ? rest.reduce(withStep, third) : this.problems.add(line, problem);
    }
    return this.problems.add(line, `${word} has no counterpart here`);
  }
}

/** Words of an action; texts are in our quotes. */
function tokensOf(text: string): string[] | undefined {
  const tokens: string[] = [];
  const trimmed = text.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const found = TOKEN.exec(trimmed);
    if (!found) return undefined;
    const [, double, raw, number, name, sign] = found;
    const string = double === undefined ? raw : double.replace(/\\(.)/g, '$1');
    tokens.push(string === undefined ? (number ?? name ?? sign ?? '') : quoted(string));
  }
  return tokens.length > 0 ? tokens : undefined;
}

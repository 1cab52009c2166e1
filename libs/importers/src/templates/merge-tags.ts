import { attributeKey } from '../contacts/contact-rows.rules.js';
import {
  linesOf,
  literalText,
  Problems,
  quoted,
  type Translation,
  type TranslationNames,
} from './translation.js';

const TAG = /\*\|([^|*\n]{1,200})\|\*/g;
const CONDITION = /^([A-Z0-9_]+)\s*(?:(!=|<=|>=|=|<|>)\s*(.*))?$/;
const NAME = /^[A-Z][A-Z0-9_]*$/;
const OPERATORS: Readonly<Record<string, string>> = { '=': '==' };

/** Tags of the service that are no merge fields, and have no counterpart. */
const SYSTEM = new Set(
  'CURRENT_YEAR REWARDS FORWARD UPDATE_PROFILE ABOUT_LIST DESCRIPTION UNIQID SUBJECT MC_PREVIEW_TEXT ARCHIVE_LINK_SHORT FACEBOOK TWITTER'.split(
    ' ',
  ),
);

/** Translates merge tags of Mailchimp: `*|FNAME|*`, `*|IF:PLAN=gold|*`. */
export function translateMergeTags(source: string, { names }: TranslationNames): Translation {
  const problems = new Problems();
  const open: number[] = [];
  const variable = (name: string, line: number): string => {
    if (Object.hasOwn(names, name)) return names[name] ?? '';
    if (!NAME.test(name) || SYSTEM.has(name))
      return problems.add(line, `*|${name}|* has no counterpart here`);
    return attributeKey(name);
  };
  const condition = (text: string, line: number): string => {
    const [, name, operator, value] = CONDITION.exec(text.trim()) ?? [];
    if (name === undefined) return problems.add(line, `the condition ${text} is not translated`);
    const ours = variable(name, line);
    if (operator === undefined) return ours;
    const plain = (value ?? '').trim().replace(/^"(.*)"$/, '$1');
    const isNumber = /^-?\d+(?:\.\d+)?$/.test(plain) && operator !== '=' && operator !== '!=';
    return `${ours} ${OPERATORS[operator] ?? operator} ${isNumber ? plain : quoted(plain)}`;
  };
  const tag = (text: string, line: number): string => {
    const [, word, rest = ''] = /^(IF|IFNOT|ELSEIF|ELSE|END):(.*)$/.exec(text) ?? [];
    if (word === 'IF') open.push(line);
    else if (word === 'IFNOT') open.push(line);
    else if (word !== undefined && open.length === 0)
      return problems.add(line, `*|${text}|* has no *|IF:…|* before it`);
    if (word === 'IF') return `{% if ${condition(rest, line)} %}`;
    if (word === 'IFNOT') return `{% if not ${condition(rest, line)} %}`;
    if (word === 'ELSEIF') return `{% elif ${condition(rest, line)} %}`;
    if (word === 'ELSE') return '{% else %}';
    if (word === 'END') {
      open.pop();
      return '{% endif %}';
    }
    return `{{ ${variable(text, line)} }}`;
  };
  const lineAt = linesOf(source);
  let made = '';
  let from = 0;
  for (const found of source.matchAll(TAG)) {
    made += literalText(source.slice(from, found.index)) + tag((found[1] ?? '').trim(), lineAt(found.index));
    from = found.index + found[0].length;
  }
  for (const line of open) problems.add(line, '*|IF:…|* has no *|END:IF|*');
  return problems.result(made + literalText(source.slice(from)));
}

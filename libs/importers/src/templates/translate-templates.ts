import { ApiError, parseBoundedJson } from '@postmesh/contracts';
import { fieldOf } from '../read/rows.js';
import type { Source, TemplateForm, TemplateSource } from '../sources/source.js';
import { SOURCES, type SourceName } from '../sources/sources.js';
import { translate } from './translate.js';

const MAX_NAME = 255;

/** A template as the other service has it. */
export interface GivenTemplate {
  name: string;
  subject: string;
  html: string;
  text: string;
  fallbacks: ReadonlyMap<string, unknown>;
}

/** The parts of a template in our language; empty ones are left out. */
export interface TemplateParts {
  subject?: string;
  html?: string;
  text?: string;
}

export interface PartProblem {
  part: string;
  line?: number;
  problem: string;
}

/** @throws ApiError 400 */
export function templatesAbout({ title, templates, without }: Source): TemplateSource {
  if (!templates) throw new ApiError(400, without.templates ?? `${title} has no templates`);
  return templates;
}

/** The templates of a file whose text is here. @throws ApiError 400 */
export function templatesInText({
  service,
  file,
  text,
}: {
  service: SourceName;
  file: string;
  text: string;
}): GivenTemplate[] {
  const about = templatesAbout(SOURCES[service]);
  const given = isJson(file) ? templatesIn(jsonOf(file, text), about) : [htmlTemplate(file, text)];
  if (given.length === 0) throw new ApiError(400, 'the file has no templates');
  return given;
}

/** @param file its name */
export const isJson = (file: string): boolean => /\.json$/i.test(file);

function jsonOf(file: string, text: string): object {
  let value: unknown;
  try {
    value = parseBoundedJson(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new ApiError(400, `${file} is no JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null)
    throw new ApiError(400, `${file} has neither an object nor a list`);
  return value;
}

/** A file of HTML is one template, without a subject. @param file its name */
export const htmlTemplate = (file: string, html: string): GivenTemplate => ({
  name: nameOf(file.replace(/\.[^.]*$/, '')),
  subject: '',
  html,
  text: '',
  fallbacks: new Map(),
});

/** JSON as the API of the service has it. @throws ApiError 400 for a service without */
export function templatesIn(value: object, { form }: TemplateSource): GivenTemplate[] {
  if (!form) throw new ApiError(400, 'the service exports no templates as JSON: give files of HTML');
  return (Array.isArray(value) ? value : [value]).flatMap((one) => found(one, form));
}

const nameOf = (given: string): string => Array.from(given.trim()).slice(0, MAX_NAME).join('');

/** An object is one template, or what has them. */
function found(value: unknown, form: TemplateForm): GivenTemplate[] {
  if (fieldOf(value, form.templateName) === undefined) {
    const inner = form.rowsIn
      .map((name) => fieldOf(value, name))
      .find((one) => typeof one === 'object' && one !== null);
    if (Array.isArray(inner)) return inner.flatMap((one) => found(one, form));
    return inner === undefined ? [] : found(inner, form);
  }
  const versions = form.version === undefined ? undefined : fieldOf(value, form.version.list);
  const version = Array.isArray(versions)
    ? (versions.find((one) => fieldOf(one, form.version?.flag ?? '') === form.version?.value) ?? versions[0])
    : value;
  const text = (path: string | undefined) =>
    String((path === undefined ? undefined : fieldOf(version, path)) ?? '');
  return [
    {
      name: nameOf(String(fieldOf(value, form.templateName))),
      subject: text(form.subject),
      html: text(form.html),
      text: text(form.text),
      fallbacks: fallbacksOf(value),
    },
  ];
}

/** `variables` of Resend. */
function fallbacksOf(value: unknown): ReadonlyMap<string, unknown> {
  const variables = fieldOf(value, 'variables');
  const given = Array.isArray(variables) ? variables : [];
  return new Map(given.map((one) => [String(fieldOf(one, 'key')), fieldOf(one, 'fallback_value')]));
}

/** The parts in our language, or every place that cannot be translated. */
export interface TranslatedParts {
  parts: TemplateParts;
  problems: PartProblem[];
}

export function translateParts(given: GivenTemplate, about: TemplateSource): TranslatedParts {
  const parts: TemplateParts = {};
  const problems: PartProblem[] = [];
  for (const part of ['subject', 'html', 'text'] as const) {
    const text = given[part];
    if (text.trim() === '') continue;
    const translation = translate(text, about, given.fallbacks);
    if (translation.ok) parts[part] = translation.source;
    else problems.push(...translation.problems.map((problem) => ({ part, ...problem })));
  }
  if (parts.html === undefined && parts.text === undefined && problems.length === 0) {
    problems.push({ part: 'html', problem: 'the template has no content' });
  }
  return { parts, problems };
}

/**
 * Whether a template is to be created. Those that exist stay as they are.
 * @param stored parts of the templates that have its name
 */
export function effectOf(
  { parts, problems }: TranslatedParts,
  stored: readonly TemplateParts[],
): { result: 'new' | 'unchanged' | 'refused'; problems: PartProblem[] } {
  if (problems.length > 0) return { result: 'refused', problems };
  if (stored.some((one) => isSame(one, parts))) return { result: 'unchanged', problems: [] };
  if (stored.length === 0) return { result: 'new', problems: [] };
  const problem = 'the account has another template of this name: rename one of them';
  return { result: 'refused', problems: [{ part: 'name', problem }] };
}

const plain = (text: string | undefined) => (text ?? '').replaceAll('\r\n', '\n');
const isSame = (a: TemplateParts, b: TemplateParts): boolean =>
  plain(a.subject).trim() === plain(b.subject).replaceAll('\n', ' ').trim() &&
  plain(a.html) === plain(b.html) &&
  (b.text === undefined || a.text === undefined || plain(a.text) === plain(b.text));

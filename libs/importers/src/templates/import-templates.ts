import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { ApiError } from '@postmesh/contracts';
import { listAll } from '../apply/pages.js';
import { RefusedRequest, type ApiTarget, type ShowProgress } from '../apply/target.js';
import { readJson } from '../read/json-file.js';
import { fieldOf } from '../read/rows.js';
import type { Source, TemplateForm, TemplateSource } from '../sources/source.js';
import { translate } from './translate.js';

const MAX_TEMPLATES = 10_000;
const MAX_NAME = 255;

const Named = z.object({ id: z.string(), name: z.string() });
const Content = z
  .object({
    html: z.string().optional(),
    text: z.string().optional(),
    text_is_custom: z.boolean().optional(),
  })
  .nullish();
const Template = z.object({ subject: z.string(), has_draft: z.boolean().default(false), content: Content });

interface GivenTemplate {
  name: string;
  subject: string;
  html: string;
  text: string;
  fallbacks: ReadonlyMap<string, unknown>;
}

/** The parts of a template in our language; empty ones are left out. */
interface Parts {
  subject?: string;
  html?: string;
  text?: string;
}

interface TemplateResult {
  name: string;
  /** `new` and `created`: of a dry run, and of an import */
  result: 'new' | 'created' | 'unchanged' | 'refused';
  id?: string;
  problems: { part: string; line?: number; problem: string }[];
}

export interface TemplatesReport {
  what: 'templates';
  templates: TemplateResult[];
  refused: number;
}

export interface TemplatesJob {
  source: Source;
  file: string;
  api: ApiTarget;
  progress: ShowProgress;
}

/**
 * Translates the templates of a file, and creates them as drafts. A template of the same name stays as it is.
 * @throws ApiError 400
 */
export async function importTemplates(
  { source, file, api, progress }: TemplatesJob,
  applies: boolean,
): Promise<TemplatesReport> {
  const about = source.templates;
  if (!about) throw new ApiError(400, source.without.templates ?? `${source.title} has no templates`);
  const given = await readTemplates(file, about);
  if (given.length === 0) throw new ApiError(400, 'the file has no templates');
  const known = (await listAll(api, '/templates', Named, MAX_TEMPLATES)) ?? [];
  const templates: TemplateResult[] = [];
  for (const template of given) {
    const ids = known.filter(({ name }) => name === template.name).map(({ id }) => id);
    templates.push(await importOne(api, template, { about, ids, applies }));
    await progress({ done: templates.length, total: given.length, unit: 'templates' });
  }
  return {
    what: 'templates',
    templates,
    refused: templates.filter(({ result }) => result === 'refused').length,
  };
}

async function importOne(
  api: ApiTarget,
  given: GivenTemplate,
  { about, ids, applies }: { about: TemplateSource; ids: readonly string[]; applies: boolean },
): Promise<TemplateResult> {
  const { name } = given;
  const { parts, problems } = translateParts(given, about);
  if (problems.length > 0) return { name, result: 'refused', problems };
  for (const id of ids) {
    if (!isSame(await storedParts(api, id), parts)) continue;
    return { name, result: 'unchanged', id, problems: [] };
  }
  if (ids.length > 0) {
    const problem = 'the account has another template of this name: rename one of them';
    return { name, result: 'refused', problems: [{ part: 'name', problem }] };
  }
  if (!applies) return { name, result: 'new', problems: [] };
  try {
    const { subject, ...content } = parts;
    const body = { name, editor: 'html', ...(subject ? { subject } : {}), content };
    const made = Named.parse(await api.call('POST', '/templates', body));
    return { name, result: 'created', id: made.id, problems: [] };
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    return { name, result: 'refused', problems: [{ part: 'content', problem: error.message }] };
  }
}

function translateParts(
  given: GivenTemplate,
  about: TemplateSource,
): { parts: Parts; problems: TemplateResult['problems'] } {
  const parts: Parts = {};
  const problems: TemplateResult['problems'] = [];
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

/** The parts of the draft, which an import makes; without one, the published parts. */
async function storedParts(api: ApiTarget, id: string): Promise<Parts> {
  const template = Template.parse(await api.call('GET', `/templates/${id}`));
  const { subject, content } = template.has_draft
    ? Template.parse(await api.call('GET', `/templates/${id}/draft`))
    : template;
  return {
    subject,
    html: content?.html,
    // a text that was made of the HTML is none of the template's own
    ...(content?.text_is_custom ? { text: content.text } : {}),
  };
}

const plain = (text: string | undefined) => (text ?? '').replaceAll('\r\n', '\n');
const isSame = (a: Parts, b: Parts): boolean =>
  plain(a.subject).trim() === plain(b.subject).replaceAll('\n', ' ').trim() &&
  plain(a.html) === plain(b.html) &&
  (b.text === undefined || a.text === undefined || plain(a.text) === plain(b.text));

/** A file of HTML is one template, without a subject; JSON is as the API of the service has it. */
async function readTemplates(file: string, about: TemplateSource): Promise<GivenTemplate[]> {
  const fallbacks = new Map<string, unknown>();
  if (!/\.json$/i.test(file)) {
    const name = basename(file).replace(/\.[^.]*$/, '');
    return [{ name, subject: '', html: await readFile(file, 'utf8'), text: '', fallbacks }];
  }
  if (!about.form) throw new ApiError(400, 'the service exports no templates as JSON: give files of HTML');
  const { form } = about;
  const value = await readJson(file);
  return (Array.isArray(value) ? value : [value]).flatMap((one) => found(one, form));
}

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
  const name = Array.from(String(fieldOf(value, form.templateName)).trim())
    .slice(0, MAX_NAME)
    .join('');
  return [
    {
      name,
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

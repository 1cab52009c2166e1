import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { ApiError } from '@postmesh/contracts';
import { listAll } from '../apply/pages.js';
import { RefusedRequest, type ApiTarget, type ShowProgress } from '../apply/target.js';
import { readJson } from '../read/json-file.js';
import type { Source, TemplateSource } from '../sources/source.js';
import {
  effectOf,
  htmlTemplate,
  isJson,
  templatesAbout,
  templatesIn,
  translateParts,
  type GivenTemplate,
  type PartProblem,
  type TemplateParts,
} from './translate-templates.js';

const MAX_TEMPLATES = 10_000;

const Named = z.object({ id: z.string(), name: z.string() });
const Content = z
  .object({
    html: z.string().optional(),
    text: z.string().optional(),
    text_is_custom: z.boolean().optional(),
  })
  .nullish();
const Template = z.object({ subject: z.string(), has_draft: z.boolean().default(false), content: Content });

interface TemplateResult {
  name: string;
  /** `new` and `created`: of a dry run, and of an import */
  result: 'new' | 'created' | 'unchanged' | 'refused';
  id?: string;
  problems: PartProblem[];
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
  const about = templatesAbout(source);
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
  const translated = translateParts(given, about);
  const stored: TemplateParts[] = [];
  for (const id of ids) stored.push(await storedParts(api, id));
  const { result, problems } = effectOf(translated, stored);
  if (result !== 'new' || !applies) return { name, result, problems };
  try {
    const { subject, ...content } = translated.parts;
    const body = { name, editor: 'html', ...(subject ? { subject } : {}), content };
    const made = Named.parse(await api.call('POST', '/templates', body));
    return { name, result: 'created', id: made.id, problems: [] };
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    return { name, result: 'refused', problems: [{ part: 'content', problem: error.message }] };
  }
}

/** The parts of the draft, which an import makes; without one, the published parts. */
async function storedParts(api: ApiTarget, id: string): Promise<TemplateParts> {
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

async function readTemplates(file: string, about: TemplateSource): Promise<GivenTemplate[]> {
  if (isJson(file)) return templatesIn(await readJson(file), about);
  return [htmlTemplate(basename(file), await readFile(file, 'utf8'))];
}

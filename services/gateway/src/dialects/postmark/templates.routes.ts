import { ApiError, apiResponse } from '@postmesh/contracts';
import { z } from 'zod';
import type { Call, DialectRoute, Given, Plan, Result } from '../dialect.js';
import { FieldError, supported, type FieldTable } from '../fields.js';

const ListItem = z.object({ id: z.string(), name: z.string() });
const Template = ListItem.extend({
  subject: z.string(),
  content: z.object({ html: z.string().nullish(), text: z.string().nullish() }).nullish(),
});
const Page = z.object({
  data: z.array(ListItem),
  pagination: z.object({ has_more: z.boolean(), next_cursor: z.string().optional() }),
});

const MAX_COUNT = 500;
/** of ours, 100 templates each: their response has the number of all */
const MAX_PAGES = 50;

const count = supported(`1 to ${MAX_COUNT}`, () => ({}));
const offset = supported('from 0', () => ({}));
const KINDS: ReadonlySet<string> = new Set(['All', 'Standard', 'Layout']);
const kind = supported('`All`, `Standard` or `Layout`, of which there are none', () => ({}));

/** Some of their SDKs write the names in lower case. */
const LIST_QUERY: FieldTable = {
  count,
  Count: count,
  offset,
  Offset: offset,
  templateType: kind,
  TemplateType: kind,
};

function numberOf(
  { query }: Given,
  name: string,
  { least, most, otherwise }: Record<string, number>,
): number {
  const given = query[name] ?? query[name.toLowerCase()];
  const value = Number(given ?? otherwise);
  if (given === '' || !Number.isInteger(value) || value < (least ?? 0) || value > (most ?? 0))
    throw new FieldError(name, `must be from ${least} to ${most}`);
  return value;
}

function kindOf({ query }: Given): string {
  const given = query['TemplateType'] ?? query['templateType'] ?? 'All';
  if (!KINDS.has(given)) throw new FieldError('TemplateType', `must be one of: ${[...KINDS].join(', ')}`);
  return given;
}

const pageOf = ({ body }: Result) => Page.parse(body);

/** Their number of a template is left out: ours have UUIDs, which are their aliases. */
const listed = ({ id, name }: z.infer<typeof ListItem>) => ({
  Active: true,
  Name: name,
  Alias: id,
  TemplateType: 'Standard',
  LayoutTemplate: null,
});

function next(results: readonly Result[]): Call | undefined {
  const last = results.at(-1);
  const after = last && pageOf(last).pagination.next_cursor;
  if (after === undefined) return undefined;
  if (results.length >= MAX_PAGES)
    throw new ApiError(400, `more than ${MAX_PAGES * 100} templates are not listed here, read them in /v2`);
  return { operation: 'templates.list', query: { after } };
}

export const TEMPLATE_ROUTES: Readonly<Record<string, DialectRoute>> = {
  'templates.list': {
    method: 'GET',
    path: '/templates',
    what: 'List templates',
    becomes: '`GET …/templates`, page by page, newest first',
    query: LIST_QUERY,
    plan: (given): Plan => {
      const size = numberOf(given, 'Count', { least: 1, most: MAX_COUNT, otherwise: 100 });
      const from = numberOf(given, 'Offset', { least: 0, most: MAX_PAGES * 100, otherwise: 0 });
      const isWanted = kindOf(given) !== 'Layout';
      return {
        calls: isWanted ? [{ operation: 'templates.list' }] : [],
        next,
        answer: (results) => {
          const all = results.flatMap((result) => pageOf(result).data.map(listed));
          return apiResponse(200, { TotalCount: all.length, Templates: all.slice(from, from + size) });
        },
      };
    },
  },
  'templates.get': {
    method: 'GET',
    path: '/templates/{alias}',
    what: 'Read a template, by its UUID',
    becomes: '`GET …/templates/{template_id}`',
    plan: ({ params }): Plan => ({
      calls: [{ operation: 'templates.get', params: { template_id: params['alias'] ?? '' } }],
      answer: (results) => {
        const { content, subject, ...template } = Template.parse(results[0]?.body);
        const body = { Subject: subject, HtmlBody: content?.html ?? '', TextBody: content?.text ?? '' };
        return apiResponse(200, { ...listed(template), ...body });
      },
    }),
  },
};

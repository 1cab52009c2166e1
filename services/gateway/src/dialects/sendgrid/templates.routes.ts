import { apiResponse } from '@postmesh/contracts';
import { z } from 'zod';
import { ourTemplateId } from './mail.table.js';
import type { Call, DialectRoute, Given, Plan, Result } from '../dialect.js';
import { FieldError, supported, type FieldTable } from '../fields.js';

const Template = z.object({
  id: z.string(),
  name: z.string(),
  updated_at: z.string(),
  subject: z.string(),
  content: z.object({ html: z.string().nullish(), text: z.string().nullish() }).nullish(),
});
type Template = z.infer<typeof Template>;

const Page = z.object({
  data: z.array(Template),
  pagination: z.object({ has_more: z.boolean(), next_cursor: z.string().optional() }),
});

const MAX_PAGE = 200;
/** of one request of ours */
const OUR_PAGE = 100;

const GENERATIONS: ReadonlySet<string> = new Set(['legacy', 'dynamic']);

const LIST_QUERY: FieldTable = {
  generations: supported('`legacy`, `dynamic` or both: ours are all `dynamic`; without it all', () => ({})),
  page_size: supported(`1 to ${MAX_PAGE}`, () => ({})),
  page_token: supported('`after`: a cursor', () => ({})),
};

function sizeOf({ query }: Given): number {
  const size = Number(query['page_size'] ?? MAX_PAGE);
  if (!Number.isInteger(size) || size < 1 || size > MAX_PAGE)
    throw new FieldError('page_size', `must be from 1 to ${MAX_PAGE}`);
  return size;
}

function wantsDynamic({ query }: Given): boolean {
  const given = (query['generations'] ?? 'dynamic').split(',');
  if (!given.every((one) => GENERATIONS.has(one)))
    throw new FieldError('generations', `must be of: ${[...GENERATIONS].join(', ')}`);
  return given.includes('dynamic');
}

/** The published copy is the one version. Its id in theirs begins with `d-`, by which their SDK knows a dynamic one. */
function shown({ id, name, subject, updated_at, content }: Template): object {
  const template_id = `d-${id}`;
  const common = { name, updated_at };
  const body = content && { html_content: content.html ?? '', plain_content: content.text ?? '' };
  const version = { id, template_id, active: 1, subject, editor: 'code', generate_plain_content: false };
  return {
    id: template_id,
    generation: 'dynamic',
    ...common,
    versions: content === null ? [] : [{ ...version, ...common, ...body }],
  };
}

const pageOf = ({ body }: Result) => Page.parse(body);

function pathOf(size: number, token: string): string {
  return `/v3/templates?${new URLSearchParams({ page_size: String(size), page_token: token })}`;
}

export const TEMPLATE_ROUTES: Readonly<Record<string, DialectRoute>> = {
  'templates.list': {
    method: 'GET',
    path: '/v3/templates',
    what: 'List templates',
    becomes: '`GET …/templates`, newest first, without bodies',
    query: LIST_QUERY,
    plan: (given): Plan => {
      const size = sizeOf(given);
      const page = (limit: number, after: string | undefined): Call => ({
        operation: 'templates.list',
        query: { limit: String(limit), ...(after !== undefined && { after }) },
      });
      return {
        calls: wantsDynamic(given) ? [page(Math.min(size, OUR_PAGE), given.query['page_token'])] : [],
        next: ([found, more]) => {
          const after = found && pageOf(found).pagination.next_cursor;
          return after === undefined || more || size <= OUR_PAGE ? undefined : page(size - OUR_PAGE, after);
        },
        answer: (results) => {
          const last = results.at(-1);
          const token = last && pageOf(last).pagination.next_cursor;
          return apiResponse(200, {
            result: results.flatMap((result) => pageOf(result).data.map(shown)),
            _metadata: token === undefined ? {} : { next: pathOf(size, token) },
          });
        },
      };
    },
  },
  'templates.get': {
    method: 'GET',
    path: '/v3/templates/{template_id}',
    what: 'Read a template, with or without `d-` before its id',
    becomes: '`GET …/templates/{template_id}`',
    plan: ({ params }): Plan => ({
      calls: [
        { operation: 'templates.get', params: { template_id: ourTemplateId(params['template_id'] ?? '') } },
      ],
      answer: (results) => apiResponse(200, shown(Template.parse(results[0]?.body))),
    }),
  },
};

import { ApiError, apiResponse, type ApiResponse } from '@postmesh/contracts';
import { z } from 'zod';
import { unfinished, type Call, type DialectRoute, type Given, type Plan, type Result } from '../dialect.js';
import { FieldError, refused, supported, unless, type FieldTable } from '../fields.js';

const Page = z.object({
  data: z.array(
    z.object({ email: z.string(), domain: z.string(), reason: z.string(), created_at: z.string() }),
  ),
  pagination: z.object({ has_more: z.boolean(), next_cursor: z.string().optional() }),
});
type Suppression = z.infer<typeof Page>['data'][number];

const OPT_OUT = 'Unsubscribed';
const COMPLAINTS: ReadonlySet<string> = new Set(['FBL Complaint Report', 'FBL Abuse Report']);

interface Kind {
  /** path of the list */
  readonly path: string;
  readonly what: string;
  readonly has: (reason: string) => boolean;
}

const UNSUBSCRIBES: Kind = {
  path: '/v3/suppression/unsubscribes',
  what: 'unsubscribes',
  has: (reason) => reason === OPT_OUT,
};

const KINDS: Readonly<Record<string, Kind>> = {
  bounces: {
    path: '/v3/suppression/bounces',
    what: 'bounces and other entries',
    has: (reason) => reason !== OPT_OUT && !COMPLAINTS.has(reason),
  },
  'spam-reports': {
    path: '/v3/suppression/spam_reports',
    what: 'complaints',
    has: (reason) => COMPLAINTS.has(reason),
  },
  unsubscribes: UNSUBSCRIBES,
};

const MAX_LIMIT = 500;
const DEFAULT_LIMIT = 500;
/** Entries of other kinds are in between; a list that needs more pages is refused. */
const MAX_PAGES = 50;

const LIST_QUERY: FieldTable = {
  start_time: supported('`from_time`', () => ({})),
  end_time: supported('`to_time`', () => ({})),
  limit: supported(`1 to ${MAX_LIMIT}`, () => ({})),
  offset: refused('narrow the list by time', unless('0')),
  email: supported('`email`', () => ({})),
};

const pageOf = ({ body }: Result) => Page.parse(body);

function shown({ email, reason, created_at: at }: Suppression): object {
  return { created: Math.floor(Date.parse(at) / 1_000), email, reason, status: '' };
}

function seconds({ query }: Given, name: string): string | undefined {
  const given = query[name];
  if (given === undefined) return undefined;
  if (!/^\d{1,11}$/.test(given)) throw new FieldError(name, 'must be seconds since 1970');
  return new Date(Number(given) * 1_000).toISOString();
}

function limitOf({ query }: Given): number {
  const limit = Number(query['limit'] ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new FieldError('limit', `must be from 1 to ${MAX_LIMIT}`);
  return limit;
}

const matching = (results: readonly Result[], { has }: Kind): Suppression[] =>
  results.flatMap((result) => pageOf(result).data.filter(({ reason }) => has(reason)));

/** Pages of ours until there are enough entries of the kind. */
function list(kind: Kind): DialectRoute {
  return {
    method: 'GET',
    path: kind.path,
    what: `List ${kind.what}`,
    becomes: '`GET …/suppressions`, page by page, newest first',
    query: LIST_QUERY,
    plan: (given): Plan => {
      const limit = limitOf(given);
      const [from, to, email] = [
        seconds(given, 'start_time'),
        seconds(given, 'end_time'),
        given.query['email'],
      ];
      const filters = {
        ...(from !== undefined && { from_time: from }),
        ...(to !== undefined && { to_time: to }),
        ...(email !== undefined && { email }),
      };
      const page = (more: Record<string, string>): Call => ({
        operation: 'suppressions.list',
        query: { ...filters, ...more },
      });
      return {
        calls: [page({})],
        next: (results) => {
          const { next_cursor: after } = pageOf(results.at(-1) as Result).pagination;
          if (after === undefined || matching(results, kind).length >= limit) return undefined;
          if (results.length >= MAX_PAGES)
            throw new ApiError(
              400,
              'too many suppressions of other kinds, narrow the list by start_time and end_time',
            );
          return page({ after });
        },
        answer: (results) => apiResponse(200, matching(results, kind).slice(0, limit).map(shown)),
      };
    },
  };
}

const listOf = (given: Given): Call => ({
  operation: 'suppressions.list',
  query: { email: given.params['email'] ?? '' },
});

const one = (kind: Kind, path: string, answer: (found: Suppression[]) => ApiResponse): DialectRoute => ({
  method: 'GET',
  path,
  what: `Read an address of the ${kind.what}`,
  becomes: '`GET …/suppressions?email=…`',
  plan: (given): Plan => ({
    calls: [listOf(given)],
    answer: (results) => answer(matching(results, kind)),
  }),
});

/** Those of the kind alone, domain by domain: an address may also have complained. */
const remove = (kind: Kind, path: string): DialectRoute => ({
  method: 'DELETE',
  path,
  what: `Delete an address of the ${kind.what}`,
  becomes: '`DELETE …/suppressions`, for each domain with such an entry',
  plan: (given): Plan => ({
    calls: [listOf(given)],
    next: ([found, ...deleted]) => {
      const rows = matching(found ? [found] : [], kind);
      if (rows.length === 0) throw new ApiError(404, 'not found');
      const row = rows[deleted.length];
      if (!row && found && pageOf(found).pagination.has_more) throw unfinished();
      return row && { operation: 'suppressions.delete', query: { email: row.email, domain: row.domain } };
    },
    answer: () => ({ status: 204, bytes: Buffer.alloc(0) }),
  }),
});

const GLOBAL = '/v3/asm/suppressions/global/{email}';

export const SUPPRESSION_ROUTES: Readonly<Record<string, DialectRoute>> = {
  ...Object.fromEntries(
    Object.entries(KINDS).flatMap(([name, kind]) => [
      [`${name}.list`, list(kind)],
      [`${name}.get`, one(kind, `${kind.path}/{email}`, (found) => apiResponse(200, found.map(shown)))],
      [`${name}.delete`, remove(kind, `${kind.path}/{email}`)],
    ]),
  ),
  'global.get': one(UNSUBSCRIBES, GLOBAL, ([found]) =>
    apiResponse(200, found ? { recipient_email: found.email } : {}),
  ),
  'global.delete': remove(UNSUBSCRIBES, GLOBAL),
};

import { apiResponse } from '@postmesh/contracts';
import { z } from 'zod';
import type { DialectRoute, Given, Plan } from '../dialect.js';
import { translate } from '../fields.js';
import { SEGMENT } from './contacts.table.js';
import { first, LIST_QUERY, pageOf } from './pages.js';

const List = z.object({ id: z.string(), name: z.string(), created_at: z.string() });

const shown = (list: unknown) => {
  const { id, name, created_at } = List.parse(list);
  return { id, name, created_at };
};

/** Segments are the audiences of earlier SDKs, with another name: both are our lists. */
function routesOf(family: string, object: string): Readonly<Record<string, DialectRoute>> {
  const one = `/${family}/{id}`;
  const byId = ({ params }: Given) => ({ list_id: params['id'] ?? '' });
  return {
    [`${family}.create`]: {
      method: 'POST',
      path: `/${family}`,
      what: `Create a list, as ${object}`,
      becomes: '`POST …/lists`',
      fields: SEGMENT,
      accepts: 'json',
      plan: ({ body }): Plan => {
        const list = translate(SEGMENT, body);
        return {
          calls: [{ operation: 'lists.create', body: () => list }],
          answer: (results) => apiResponse(201, { object, ...shown(first(results).body) }),
        };
      },
    },
    [`${family}.list`]: {
      method: 'GET',
      path: `/${family}`,
      what: 'List the lists',
      becomes: '`GET …/lists`: the newest 100',
      query: LIST_QUERY,
      plan: ({ query }): Plan => ({
        calls: [{ operation: 'lists.list', query }],
        answer: (results) => pageOf(first(results), shown),
      }),
    },
    [`${family}.get`]: {
      method: 'GET',
      path: one,
      what: 'Read a list',
      becomes: '`GET …/lists/{list}`',
      plan: (given): Plan => ({
        calls: [{ operation: 'lists.get', params: byId(given) }],
        answer: (results) => apiResponse(200, { object, ...shown(first(results).body) }),
      }),
    },
    [`${family}.remove`]: {
      method: 'DELETE',
      path: one,
      what: 'Delete a list',
      becomes: '`DELETE …/lists/{list}`',
      plan: (given): Plan => ({
        calls: [{ operation: 'lists.delete', params: byId(given) }],
        answer: () => apiResponse(200, { object, id: given.params['id'], deleted: true }),
      }),
    },
  };
}

const RENAME: DialectRoute = {
  method: 'PATCH',
  path: '/segments/{id}',
  what: 'Rename a list',
  becomes: '`PUT …/lists/{list}`',
  fields: SEGMENT,
  accepts: 'json',
  plan: ({ params, body }): Plan => {
    const list = translate(SEGMENT, body);
    return {
      calls: [{ operation: 'lists.update', params: { list_id: params['id'] ?? '' }, body: () => list }],
      answer: () => apiResponse(200, { object: 'segment', id: params['id'] }),
    };
  },
};

export const SEGMENT_ROUTES: Readonly<Record<string, DialectRoute>> = {
  ...routesOf('segments', 'segment'),
  'segments.update': RENAME,
  ...routesOf('audiences', 'audience'),
};

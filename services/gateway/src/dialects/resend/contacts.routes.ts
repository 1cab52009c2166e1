import { ApiError, apiResponse } from '@postmesh/contracts';
import { z } from 'zod';
import type { Call, DialectRoute, Given, Plan, Result } from '../dialect.js';
import { translate } from '../fields.js';
import { CONTACT_CHANGE, NEW_CONTACT, NEW_MEMBER, requireAudience, withoutPath } from './contacts.table.js';
import { first, itemsOf, LIST_QUERY, pageOf } from './pages.js';

const Contact = z.object({
  id: z.string(),
  email: z.string(),
  created_at: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  unsubscribed: z.boolean(),
  attributes: z.record(z.string(), z.unknown()),
});
const Upserted = z.object({
  data: z.tuple([
    z.object({ reason: z.string().optional(), contact: z.object({ id: z.string() }).optional() }),
  ]),
});
const Member = z.object({ contact: Contact });
const OfList = z.object({ list: z.object({ id: z.string(), name: z.string(), created_at: z.string() }) });

function shownContact(given: z.infer<typeof Contact>): object {
  const { attributes, first_name: name, last_name: family, ...shown } = given;
  const properties = Object.entries(attributes).map(([key, value]) => [
    key,
    typeof value === 'number' ? { type: 'number', value } : { type: 'string', value: String(value) },
  ]);
  return { ...shown, first_name: name, last_name: family, properties: Object.fromEntries(properties) };
}

const contactOf = ({ params }: Given) => ({ id_or_email: params['contact'] ?? '' });
const memberOf = ({ params }: Given) => ({
  list_id: params['audience_id'] ?? '',
  id_or_email: params['contact'] ?? '',
});
const done = (given: Given, more: object = {}) =>
  apiResponse(200, { object: 'contact', id: given.params['contact'], ...more });
const removed = (given: Given) => done(given, { contact: given.params['contact'], deleted: true });

/** @throws ApiError 400 with the reason of ours */
function upserted({ body }: Result): string {
  const [{ contact, reason = 'the contact was not stored' }] = Upserted.parse(body).data;
  if (!contact) throw new ApiError(400, reason);
  return contact.id;
}

/** The lists have to be there; then the contact is created or changed, and comes on each of them. */
function create(contact: Record<string, unknown>, lists: readonly string[]): Plan {
  const upsert: Call = { operation: 'contacts.batch', body: () => ({ data: [contact] }) };
  return {
    calls: [...lists.map((id): Call => ({ operation: 'lists.get', params: { list_id: id } }))],
    next: (results) => {
      const at = results.length - lists.length;
      if (at === 0) return upsert;
      const id = upserted(results[lists.length] as Result);
      const list = lists[at - 1];
      const params = { list_id: list ?? '', id_or_email: id };
      return list === undefined ? undefined : { operation: 'lists.put-contact', params, body: () => ({}) };
    },
    answer: (results) =>
      apiResponse(201, { object: 'contact', id: upserted(results[lists.length] as Result) }),
  };
}

const becomesUpsert = '`POST …/contacts/batch` with one contact: one that exists is changed';

const ALL: Readonly<Record<string, DialectRoute>> = {
  'contacts.create': {
    method: 'POST',
    path: '/contacts',
    what: 'Create a contact',
    becomes: `${becomesUpsert}; for each segment \`PUT …/lists/{list}/contacts/{contact}\``,
    fields: NEW_CONTACT,
    accepts: 'json',
    plan: ({ body }): Plan => {
      const { segments = [], ...contact } = translate(NEW_CONTACT, body);
      return create(contact, [...new Set(segments as string[])]);
    },
  },
  'contacts.list': {
    method: 'GET',
    path: '/contacts',
    what: 'List contacts',
    becomes: '`GET …/contacts`: the newest 100',
    query: LIST_QUERY,
    plan: ({ query }): Plan => ({
      calls: [{ operation: 'contacts.list', query }],
      answer: (results) => pageOf(first(results), (item) => shownContact(Contact.parse(item))),
    }),
  },
  'contacts.get': {
    method: 'GET',
    path: '/contacts/{contact}',
    what: 'Read a contact, by its id or address',
    becomes: '`GET …/contacts/{contact}`',
    plan: (given): Plan => ({
      calls: [{ operation: 'contacts.get', params: contactOf(given) }],
      answer: (results) =>
        apiResponse(200, { object: 'contact', ...shownContact(Contact.parse(first(results).body)) }),
    }),
  },
  'contacts.update': {
    method: 'PATCH',
    path: '/contacts/{contact}',
    what: 'Change a contact',
    becomes: '`PUT …/contacts/{contact}`',
    fields: CONTACT_CHANGE,
    accepts: 'json',
    plan: (given): Plan => change(given),
  },
  'contacts.remove': {
    method: 'DELETE',
    path: '/contacts/{contact}',
    what: 'Delete a contact',
    becomes: '`DELETE …/contacts/{contact}`',
    plan: (given): Plan => ({
      calls: [{ operation: 'contacts.delete', params: contactOf(given) }],
      answer: () => removed(given),
    }),
  },
};

function change(given: Given): Plan {
  const body = withoutPath(translate(CONTACT_CHANGE, given.body), given.params);
  return {
    calls: [{ operation: 'contacts.update', params: contactOf(given), body: () => body }],
    answer: (results) => done(given, { id: Contact.parse(first(results).body).id }),
  };
}

const listMembers = (path: string, parameter: string): DialectRoute => ({
  method: 'GET',
  path,
  what: 'List the contacts of a segment',
  becomes: '`GET …/lists/{list}/contacts`: the newest 100',
  query: LIST_QUERY,
  plan: ({ params, query }): Plan => ({
    calls: [
      {
        operation: 'lists.list-contacts',
        params: { list_id: params[parameter] ?? '' },
        query: { ...query, include_contacts: 'true' },
      },
    ],
    answer: (results) => pageOf(first(results), (item) => shownContact(Member.parse(item).contact)),
  }),
});

const ofMember = (given: Given): Call => ({ operation: 'contacts.get', params: contactOf(given) });

/** The membership of a contact that was found. */
const membership = (given: Given, [contact]: readonly Result[]): Call => ({
  operation: 'lists.list-contacts',
  params: { list_id: given.params['audience_id'] ?? '' },
  query: { email: Contact.parse(contact?.body).email, include_contacts: 'true' },
});

function requireMember(result: Result | undefined): z.infer<typeof Contact> {
  const [member] = result ? itemsOf(result) : [];
  if (member === undefined) throw new ApiError(404, 'contact not found in this audience');
  return Member.parse(member).contact;
}

/** The paths of SDKs before segments. */
const IN_AUDIENCE = '/audiences/{audience_id}/contacts';
const OF_AUDIENCE: Readonly<Record<string, DialectRoute>> = {
  'audiences.create-contact': {
    method: 'POST',
    path: IN_AUDIENCE,
    what: 'Create a contact in an audience',
    becomes: `${becomesUpsert}; then \`PUT …/lists/{list}/contacts/{contact}\``,
    fields: NEW_MEMBER,
    accepts: 'json',
    plan: ({ params, body }): Plan => {
      const { audience_id: given, ...contact } = translate(NEW_MEMBER, body);
      requireAudience(given, params);
      return create(contact, [params['audience_id'] ?? '']);
    },
  },
  'audiences.list-contacts': listMembers(IN_AUDIENCE, 'audience_id'),
  'audiences.get-contact': {
    method: 'GET',
    path: `${IN_AUDIENCE}/{contact}`,
    what: 'Read a contact of an audience',
    becomes: '`GET …/contacts/{contact}`, and its membership',
    plan: (given): Plan => ({
      calls: [ofMember(given)],
      next: (results) => (results.length === 1 ? membership(given, results) : undefined),
      answer: (results) =>
        apiResponse(200, { object: 'contact', ...shownContact(requireMember(results[1])) }),
    }),
  },
  'audiences.update-contact': {
    method: 'PATCH',
    path: `${IN_AUDIENCE}/{contact}`,
    what: 'Change a contact of an audience',
    becomes: '`PUT …/contacts/{contact}`, once its membership is found',
    fields: CONTACT_CHANGE,
    accepts: 'json',
    plan: (given): Plan => {
      const { calls = [], answer } = change(given) as Extract<Plan, { items?: undefined }>;
      return {
        calls: [ofMember(given)],
        next: (results) => {
          if (results.length === 1) return membership(given, results);
          requireMember(results[1]);
          return results.length === 2 ? calls[0] : undefined;
        },
        answer: (results) => answer(results.slice(2)),
      };
    },
  },
  'audiences.remove-contact': {
    method: 'DELETE',
    path: `${IN_AUDIENCE}/{contact}`,
    what: 'Take a contact out of an audience',
    becomes: '`DELETE …/lists/{list}/contacts/{contact}`: the contact stays',
    plan: (given): Plan => ({
      calls: [{ operation: 'lists.remove-contact', params: memberOf(given) }],
      answer: () => removed(given),
    }),
  },
};

const SEGMENTS_OF_CONTACT = '/contacts/{contact}/segments';
const inSegment = ({ params }: Given) => ({
  list_id: params['segment_id'] ?? '',
  id_or_email: params['contact'] ?? '',
});

const IN_SEGMENTS: Readonly<Record<string, DialectRoute>> = {
  'segments.list-contacts': listMembers('/segments/{segment_id}/contacts', 'segment_id'),
  'contacts.list-segments': {
    method: 'GET',
    path: SEGMENTS_OF_CONTACT,
    what: 'List the segments of a contact',
    becomes: '`GET …/contacts/{contact}/lists`: the newest 100',
    query: LIST_QUERY,
    plan: (given): Plan => ({
      calls: [{ operation: 'contacts.list-lists', params: contactOf(given), query: given.query }],
      answer: (results) =>
        pageOf(first(results), (item) => {
          const { id, name, created_at } = OfList.parse(item).list;
          return { id, name, created_at };
        }),
    }),
  },
  'contacts.add-segment': {
    method: 'POST',
    path: `${SEGMENTS_OF_CONTACT}/{segment_id}`,
    what: 'Add a contact to a segment',
    becomes: '`PUT …/lists/{list}/contacts/{contact}`',
    plan: (given): Plan => ({
      calls: [{ operation: 'lists.put-contact', params: inSegment(given), body: () => ({}) }],
      answer: () => apiResponse(200, { id: given.params['segment_id'] }),
    }),
  },
  'contacts.remove-segment': {
    method: 'DELETE',
    path: `${SEGMENTS_OF_CONTACT}/{segment_id}`,
    what: 'Take a contact out of a segment',
    becomes: '`DELETE …/lists/{list}/contacts/{contact}`',
    plan: (given): Plan => ({
      calls: [{ operation: 'lists.remove-contact', params: inSegment(given) }],
      answer: () => apiResponse(200, { id: given.params['segment_id'], deleted: true }),
    }),
  },
};

export const CONTACT_ROUTES: Readonly<Record<string, DialectRoute>> = {
  ...ALL,
  ...OF_AUDIENCE,
  ...IN_SEGMENTS,
};

import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { startSending, type SendingUnderTest } from '../sending/testing/sending-under-test.js';
import { SegmentFilter, type SegmentCondition } from './segment-filter.schema.js';
import { filterSql, namesList, placesIn, segmentCount } from './segment-filter.sql.js';

const database = testDatabase();
let under: SendingUnderTest;
let listId: string;
beforeAll(async () => {
  under = await startSending(database.url);
  listId = await under.list();
  const [ann, ben, cid] = await under.contacts(3, []);
  const write = (id: string | undefined, email: string, firstName: string, attributes: object, age: string) =>
    under.sql(
      `update contacts set email = $2, first_name = $3, attributes = $4, created_at = now() - $5::interval where id = $1`,
      [id, email, firstName, JSON.stringify(attributes), age],
    );
  await write(ann, 'ann@shop.test', 'Ann', { plan: 'Pro', score: 12.5, since: '2026-03-01' }, '1 day');
  await write(ben, 'ben@mail.test', 'Ben', { plan: 'free', score: 7, is_new: true }, '40 days');
  // a value of another type than that of its definition, and a text with characters of patterns
  await write(cid, 'cid@mail.test', 'C%d', { plan: 5, score: 'high', since: '2025-12-31' }, '400 days');
  await under.sql(
    `insert into memberships (list_id, contact_id, account_id, subscription_status, created_at, updated_at)
     values ($1, $2, $4, 'confirmed', now(), now()), ($1, $3, $4, 'unsubscribed', now(), now())`,
    [listId, ann, ben, under.accountId],
  );
  const other = await under.list();
  const campaign = await under.campaign({ lists: [other] });
  await under.sql(
    `insert into campaign_recipients (campaign_id, position, contact_id, account_id, email, list_ids, opened_at, clicked_at)
     values ($1, 0, $2, $4, 'ann', '{}', now() - interval '3 days', now() - interval '3 days'),
       ($1, 1, $3, $4, 'ben', '{}', now() - interval '30 days', null)`,
    [campaign, ann, ben, under.accountId],
  );
});
afterAll(() => under?.stop());

/** The first names of the matching contacts. */
async function matching(given: SegmentFilter): Promise<string[]> {
  const parameters: unknown[] = [under.accountId];
  const condition = filterSql(SegmentFilter.parse(given), '$1::uuid', placesIn(parameters));
  const rows: { name: string }[] = await under.service
    .get(DataSource)
    .query(
      `select first_name as name from contacts c where c.account_id = $1 and ${condition} order by email`,
      parameters,
    );
  return rows.map(({ name }) => name);
}
const only = (...conditions: SegmentCondition[]): SegmentFilter => ({
  match: 'all',
  groups: [{ match: 'all', conditions }],
});

type Case = [condition: () => SegmentCondition, names: string[]];
const attribute = (key: string, is: string, value?: unknown): Case[0] => {
  const condition = { kind: 'attribute', key, is, ...(value === undefined ? {} : { value }) };
  return () => condition as SegmentCondition;
};
const CASES: Record<string, Case> = {
  'a text': [attribute('plan', 'equal', 'Pro'), ['Ann']],
  'a number as a text': [attribute('plan', 'equal', '5'), []],
  'a number': [attribute('plan', 'equal', 5), ['C%d']],
  'another value or none': [attribute('is_new', 'not_equal', true), ['Ann', 'C%d']],
  'a part of a text in any letter case': [attribute('plan', 'contains', 'PR'), ['Ann']],
  'a larger number': [attribute('score', 'above', 7), ['Ann']],
  'a smaller number': [attribute('score', 'below', 100), ['Ann', 'Ben']],
  'a later date': [attribute('since', 'above', '2026-01-01'), ['Ann']],
  'no date by a text with characters of paths': [attribute('since', 'below', '"\\ ) || true //'), []],
  'an earlier date': [attribute('since', 'below', '2026-01-01'), ['C%d']],
  'an attribute': [attribute('since', 'known'), ['Ann', 'C%d']],
  'no attribute': [attribute('since', 'unknown'), ['Ben']],
  'a name with characters of patterns': [
    () => ({ kind: 'field', field: 'first_name', is: 'contains', value: '%' }),
    ['C%d'],
  ],
  'the end of an address': [
    () => ({ kind: 'field', field: 'email', is: 'ends_with', value: '@MAIL.test' }),
    ['Ben', 'C%d'],
  ],
  'no end with characters of patterns': [
    () => ({ kind: 'field', field: 'email', is: 'ends_with', value: 'il_test' }),
    [],
  ],
  'a name that ends with such a character': [
    () => ({ kind: 'field', field: 'first_name', is: 'ends_with', value: '%D' }),
    ['C%d'],
  ],
  'another address': [
    () => ({ kind: 'field', field: 'email', is: 'not_equal', value: 'ann@shop.test' }),
    ['Ben', 'C%d'],
  ],
  'a confirmed member': [() => ({ kind: 'list', list_id: listId, member: true }), ['Ann']],
  'no confirmed member': [() => ({ kind: 'list', list_id: listId, member: false }), ['Ben', 'C%d']],
  'an open of the last week': [
    () => ({ kind: 'engagement', action: 'opened', days: 7, happened: true }),
    ['Ann'],
  ],
  'an open at any time': [
    () => ({ kind: 'engagement', action: 'opened', days: null, happened: true }),
    ['Ann', 'Ben'],
  ],
  'no click': [
    () => ({ kind: 'engagement', action: 'clicked', days: null, happened: false }),
    ['Ben', 'C%d'],
  ],
  'a new contact': [() => ({ kind: 'created', days: 30, within: true }), ['Ann']],
  'an old contact': [() => ({ kind: 'created', days: 30, within: false }), ['Ben', 'C%d']],
};

describe('a filter finds', () => {
  it.each(Object.entries(CASES))('%s', async (_, [condition, names]) => {
    expect(await matching(only(condition()))).toEqual(names);
  });

  it('what all or any of its groups and conditions find', async () => {
    const [pro, late, old] = [CASES['a text'], CASES['an earlier date'], CASES['an old contact']].map((one) =>
      one![0](),
    ) as [SegmentCondition, SegmentCondition, SegmentCondition];
    const either: SegmentFilter['groups'][number] = { match: 'any', conditions: [pro, late] };
    expect(await matching({ match: 'all', groups: [either] })).toEqual(['Ann', 'C%d']);
    expect(await matching({ match: 'all', groups: [either, { match: 'all', conditions: [old] }] })).toEqual([
      'C%d',
    ]);
    expect(await matching({ match: 'any', groups: [either, { match: 'all', conditions: [old] }] })).toEqual([
      'Ann',
      'Ben',
      'C%d',
    ]);
  });

  it('the same by a set of contacts as a join and next to another condition', async () => {
    const none: SegmentCondition = { kind: 'field', field: 'email', is: 'equal', value: 'none@shop.test' };
    const sets = ['a confirmed member', 'no confirmed member', 'an open of the last week', 'no click'];
    for (const name of sets) {
      const [condition, names] = CASES[name]!;
      const either: SegmentFilter['groups'][number] = { match: 'any', conditions: [none, condition()] };
      expect(await matching({ match: 'all', groups: [either] })).toEqual(names);
      const groups = [none, condition()].map((one) => ({ match: 'all' as const, conditions: [one] }));
      expect(await matching({ match: 'any', groups })).toEqual(names);
    }
  });

  it('nothing by what a person typed into it', async () => {
    const typed = `x' or true --`;
    expect(await matching(only({ kind: 'attribute', key: 'plan', is: 'equal', value: typed }))).toEqual([]);
    expect(
      await matching(only({ kind: 'field', field: 'first_name', is: 'contains', value: typed })),
    ).toEqual([]);
  });
});

describe('the count of a filter', () => {
  const member = (): SegmentCondition => ({ kind: 'list', list_id: listId, member: true });
  const other: SegmentCondition = { kind: 'created', days: 3_650, within: true };
  const group = (match: 'all' | 'any', ...conditions: SegmentCondition[]) => ({ match, conditions });
  type Counted = [filter: () => SegmentFilter, isLeftOut: boolean];

  it.each<Counted>([
    [() => only(member()), true],
    [() => only(other, member()), true],
    [() => ({ match: 'all', groups: [group('any', other), group('any', member())] }), true],
    [() => ({ match: 'any', groups: [group('all', member(), other), group('any', member())] }), true],
    [() => only(other), false],
    [() => only({ ...member(), member: false } as SegmentCondition), false],
    [() => ({ match: 'all', groups: [group('any', member(), other)] }), false],
    [() => ({ match: 'any', groups: [group('all', member()), group('all', other)] }), false],
  ])(
    'case %#: asks for a list where the filter does not, with the same result',
    async (filter, isLeftOut) => {
      expect(namesList(filter())).toBe(isLeftOut);
      const counted = async (leavesOut: boolean) => {
        const parameters: unknown[] = [under.accountId];
        const condition = filterSql(filter(), '$1::uuid', placesIn(parameters));
        const [row] = await under.sql(segmentCount(condition, '$1::uuid', leavesOut), parameters);
        return row;
      };
      if (isLeftOut) expect(await counted(true)).toEqual(await counted(false));
      // Ann alone is on a list
      expect(await counted(isLeftOut)).toEqual({ contacts: namesNone(filter()) ? 0 : 1 });
    },
  );
});

/** It is about contacts that are not on the list. */
const namesNone = ({ groups }: SegmentFilter): boolean =>
  groups.some(({ conditions }) => conditions.some((one) => one.kind === 'list' && !one.member));

describe('a filter is refused', () => {
  const one = { kind: 'created', days: 1, within: true } as const;
  it.each<[string, unknown]>([
    ['without a group', { match: 'all', groups: [] }],
    [
      'with more than 30 conditions',
      { match: 'all', groups: Array(4).fill({ match: 'all', conditions: Array(10).fill(one) }) },
    ],
    ['with an attribute that no key can have', only({ kind: 'attribute', key: `x'`, is: 'known' })],
    ['with a comparison without a value', only({ kind: 'attribute', key: 'x', is: 'above' })],
    ['with an unknown field', only({ ...one, more: 1 } as never)],
  ])('%s', (_, filter) => {
    expect(SegmentFilter.safeParse(filter).success).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { judgeReply } from './judge-reply.rules.js';
import { GENERAL, parseReply } from './testing/reply-samples.js';
import { REPLY_TABLE } from './replies.table.js';
import { BounceClass, ReplyKind } from './reply.js';
import { ReplyTable, type ReplyRow } from './reply-rows.schema.js';

const ROWS: ReplyRow[] = Object.values(REPLY_TABLE).flat();
/** A row of providers is tried with each of them. */
const TRIALS = ROWS.flatMap((row) =>
  (row.provider ?? [undefined]).map((provider) => ({ name: `${row.id} ${provider ?? ''}`, row, provider })),
);

describe('a row', () => {
  it.each(TRIALS)('$name decides its sample, the whole table in force', ({ row, provider }) => {
    expect(judgeReply(parseReply(row.sample), { provider })).toMatchObject({ rule: row.id, kind: row.kind });
  });

  it.each(TRIALS)('$name leaves its counter-sample to another row', ({ row, provider }) => {
    expect(judgeReply(parseReply(row.not), { provider }).rule).not.toBe(row.id);
  });

  it('of a provider decides nothing for hosts of others, nor behind a relay', () => {
    for (const row of REPLY_TABLE.provider) {
      const reply = parseReply(row.sample);
      for (const about of [{}, { provider: 'nobody' }, { provider: row.provider?.[0], relayed: true }]) {
        const { rule } = judgeReply(reply, about);
        expect([row.id, GENERAL.has(rule)]).toEqual([row.id, true]);
      }
    }
  });

  it('shapes nothing by our own texts', () => {
    expect(REPLY_TABLE.own.filter(({ shape }) => shape)).toEqual([]);
  });
});

describe('the table', () => {
  it('has about 120 rows, and one at least for every class and kind', () => {
    expect(ROWS.length).toBeGreaterThan(110);
    const verdicts = TRIALS.map(({ row, provider }) => judgeReply(parseReply(row.sample), { provider }));
    expect(new Set(verdicts.map((verdict) => verdict.class))).toEqual(new Set(BounceClass.options));
    expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(ReplyKind.options));
  });

  const good = {
    id: 'good',
    kind: 'other',
    because: 'RFC 5321',
    sample: '550 no',
    not: '450 no',
  };
  const tableWith = (row: object) => ({ ...TEMPLATE, sure: [{ ...good, says: 'no', ...row }] });
  const one = (id: string) => [{ ...good, id }];
  const TEMPLATE = {
    own: one('own'),
    provider: [{ ...good, id: 'theirs', provider: ['google'] }],
    codes: one('codes'),
    vague: [{ ...good, id: 'vague', says: 'no' }],
    rest: one('rest'),
  };

  it('takes a good row', () => {
    expect(ReplyTable.safeParse(tableWith({})).error).toBeUndefined();
  });

  it.each([
    ['an id that is taken', { id: 'own' }],
    ['an unknown kind', { kind: 'spammy' }],
    ['an unknown class', { class: 'Spammy' }],
    ['no words where words decide', { says: undefined }],
    ['a code with its class', { enhanced: ['5.1.1'] }],
    ['a positive code', { codes: [250] }],
    ['a typing error', { becuase: 'x' }],
    ['no source', { because: '' }],
    ['no sample', { sample: undefined }],
    ['a sample that is no reply', { sample: 'user unknown' }],
    ['a pattern that repeats what repeats', { says: '(?:a{1,3}b){1,9}' }],
    ['a pattern without an end', { says: 'no.*body' }],
    ['a suspension without its time', { shape: { do: 'suspend', scope: 'source' } }],
    ['a suspension of a day', { shape: { do: 'suspend', scope: 'source', forSeconds: 86_400 } }],
    [
      'a suspension that begins longer than it may last',
      { shape: { do: 'suspend', scope: 'source', forSeconds: 7_200, longestSeconds: 3_600 } },
    ],
    ['a limit for no shape', { shapesOnly: 'temporary' }],
  ])('takes no row with %s', (_what, row) => {
    expect(ReplyTable.safeParse(tableWith(row)).success).toBe(false);
  });

  it('takes no last step that leaves replies undecided, and no nameless provider', () => {
    expect(ReplyTable.safeParse({ ...tableWith({}), rest: [{ ...good, codes: [550] }] }).success).toBe(false);
    expect(ReplyTable.safeParse({ ...tableWith({}), provider: one('theirs') }).success).toBe(false);
  });
});

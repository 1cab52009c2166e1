import fc from 'fast-check';
import { expect, it } from 'vitest';
import { classOfCodes, isTemporary } from './enhanced-codes.rules.js';
import { judgeReply } from './judge-reply.rules.js';
import { REPLY_TABLE } from './replies.table.js';
import { parseReply } from './testing/reply-samples.js';

const SAMPLES = Object.values(REPLY_TABLE)
  .flat()
  .flatMap(({ sample, not }) => [sample, not]);
const PROVIDERS = [...new Set(REPLY_TABLE.provider.flatMap(({ provider = [] }) => provider))];

/** Texts of real replies, cut, repeated and mixed with arbitrary input. */
const text = fc
  .array(fc.oneof(fc.constantFrom(...SAMPLES), fc.string({ unit: 'binary' }), fc.constantFrom('a ', ' ')), {
    maxLength: 12,
  })
  .chain((parts) => fc.nat(3).map((times) => parts.join(' ').repeat(times + 1)));
const enhanced = fc.option(
  fc.tuple(fc.constantFrom(2, 4, 5), fc.nat(999), fc.nat(999)).map((parts) => parts.join('.')),
  { nil: undefined },
);
const reply = fc.oneof(
  fc.record({
    smtpCode: fc.oneof(fc.constant(0), fc.integer({ min: 400, max: 599 }), fc.integer()),
    enhancedStatusCode: fc.oneof(enhanced, fc.constant(''), fc.string()),
    response: text,
  }),
  fc.constantFrom(...SAMPLES).map(parseReply),
);
const about = fc.record({
  provider: fc.option(fc.constantFrom(...PROVIDERS, 'nobody'), { nil: undefined }),
  relayed: fc.boolean(),
  offline: fc.boolean(),
});

/** Spec 2-messages §15.3 rules 1 and 2. */
const HARD = ['InvalidRecipient', 'BadDomain', 'InactiveMailbox'];
const BLOCKS = ['PolicyRelated', 'AuthenticationFailed', 'ProtocolErrors', 'InvalidSender'];

it('every reply has a verdict, the same each time, and suppresses by its class', () => {
  fc.assert(
    fc.property(reply, about, (said, by) => {
      const verdict = judgeReply(said, by);
      expect(judgeReply(said, by)).toEqual(verdict);
      const bounced = !isTemporary(said) && said.smtpCode !== 0;
      // spec 2-messages §1.5: the address may be good
      const isHard = HARD.includes(verdict.class) && verdict.rule !== 'code-smtputf8';
      if (bounced) expect(verdict.suppresses === 'hard').toBe(isHard);
      if (BLOCKS.includes(verdict.class)) expect(verdict.suppresses).toBe('never');
      if (said.smtpCode === 0) expect(verdict.shape).toBeUndefined();
    }),
    { numRuns: 3_000 },
  );
});

it('more than 1,000 characters of a text are not read', () => {
  const long = `${'x'.repeat(1_000)} user unknown`;
  expect(judgeReply({ smtpCode: 550, response: long }).rule).toBe('other');
  expect(judgeReply({ smtpCode: 550, response: long.slice(10) }).rule).not.toBe('user-unknown');
  expect(judgeReply({ smtpCode: 550, response: long.slice(13) }).rule).toBe('user-unknown');
});

it('codes alone give the class where the text decides nothing', () => {
  fc.assert(
    fc.property(fc.integer({ min: 400, max: 599 }), enhanced, (smtpCode, enhancedStatusCode) => {
      const said = { smtpCode, enhancedStatusCode, response: 'no' };
      const verdict = judgeReply(said);
      // the one code whose row decides more than its class (spec 2-messages §1.5)
      const expected = verdict.rule === 'code-smtputf8' ? 'InvalidRecipient' : classOfCodes(said);
      expect(verdict.class).toBe(expected);
    }),
  );
});

import { describe, expect, it } from 'vitest';
import type { Verdict } from './judgement.js';
import { fail } from './judgement.js';
import { confirmFailure } from './resolver-agreement.rules.js';

const failure = fail({ code: 'not_found' });
const views = (verdicts: readonly Verdict[]) =>
  verdicts.map((verdict, at) => ({ resolver: `192.0.2.${at}`, verdict }));

describe('a failure that would cost a domain its validity', () => {
  it.each<[Verdict[], Verdict]>([
    [['fail'], 'fail'],
    [['fail', 'fail'], 'fail'],
    [['fail', 'fail', 'pass'], 'fail'],
    [['fail', 'unknown'], 'fail'],
    [['unknown', 'unknown', 'fail'], 'fail'],
    [['fail', 'pass'], 'unknown'],
    [['pass', 'fail', 'unknown'], 'unknown'],
    [['pass', 'pass'], 'unknown'],
    [['unknown', 'unknown'], 'unknown'],
    [['unknown'], 'fail'],
  ])('that resolvers see as %j counts as %s', (seen, expected) => {
    expect(confirmFailure(failure, views(seen)).verdict).toBe(expected);
  });

  it('keeps its cause, or says which resolver sees what', () => {
    expect(confirmFailure(failure, views(['fail', 'fail'])).cause).toEqual({ code: 'not_found' });
    expect(confirmFailure(failure, views(['fail', 'pass'])).cause).toEqual({
      code: 'resolvers_disagree',
      views: views(['fail', 'pass']),
    });
  });
});

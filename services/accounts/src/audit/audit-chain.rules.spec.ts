import { describe, expect, it } from 'vitest';
import { CHAIN_BEGIN, linkAfter, verifyChain, type Link, type Sealed } from './audit-chain.rules.js';

const entry = (id: string) => ({
  id,
  at: new Date('2026-01-05T08:00:00.123Z'),
  actorKind: 'member',
  actorId: 'ann',
  action: 'api-key.create',
  accountId: 'shop',
  subjectId: null,
  details: '{"label": "k"}',
});

function chain(...ids: string[]): Sealed[] {
  let last: Link = CHAIN_BEGIN;
  return ids.map((id) => {
    last = linkAfter(last, entry(id));
    return { ...entry(id), ...last };
  });
}

const problem = (entries: readonly Sealed[], noted?: Link) =>
  verifyChain(CHAIN_BEGIN, entries, noted).problem;

describe('the chain of the audit', () => {
  const [one, two, three] = chain('1', '2', '3') as [Sealed, Sealed, Sealed];

  it('is good as it was sealed, also from its middle', () => {
    expect(verifyChain(CHAIN_BEGIN, [one, two, three])).toMatchObject({ last: { seq: 3 }, problem: null });
    expect(verifyChain(one, [two, three]).problem).toBeNull();
  });

  it.each([
    ['at', new Date('2026-01-05T08:00:00.124Z')],
    ['actorKind', 'operator'],
    ['actorId', 'eve'],
    ['action', 'api-key.delete'],
    ['accountId', 'other'],
    ['subjectId', 'x'],
    ['details', '{"label": "l"}'],
    ['id', '9'],
  ])('shows a changed %s', (field, value) => {
    expect(problem([one, { ...two, [field]: value }, three])).toBe('entry 2 was changed');
  });

  it('shows a removed entry, and one that was put between', () => {
    expect(problem([one, three])).toBe('entry 2 is missing');
    expect(problem([one, { ...entry('x'), ...linkAfter(one, entry('x')) }, two, three])).toBe(
      'entry 3 is missing',
    );
  });

  it('shows a chain that was sealed anew by the end that was noted', () => {
    const forged = chain('1', 'x', '3');
    expect(problem(forged)).toBeNull();
    expect(problem(forged, three)).toBe('the chain until entry 3 is not the one that was noted');
    expect(problem([one, two, three], two)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { acceptedAt, LOOK_BACK_MS, mayHaveOvertaken } from './published-receptions.js';

describe('when a message was stored', () => {
  it('is read from its id', () => {
    const at = Date.now() + 1_000_000;
    expect(acceptedAt(newId(at))).toEqual(new Date(at));
  });
  it('is unknown for an id of another kind', () => {
    expect(acceptedAt('5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10')).toBeUndefined();
  });
});

describe('an outcome may have overtaken its reception', () => {
  const now = new Date('2026-01-05T08:00:00Z');
  const ago = (ms: number) => new Date(now.getTime() - ms);
  it.each([
    ['when the webhook is older than the message', ago(2_000), ago(1_000), true],
    ['when both are of the same millisecond', ago(1_000), ago(1_000), true],
    ['not when the webhook was made or changed after it', ago(999), ago(1_000), false],
    ['not when the message is old', ago(LOOK_BACK_MS * 2), ago(LOOK_BACK_MS), false],
  ])('%s', (_, changed, accepted, may) => expect(mayHaveOvertaken(changed, accepted, now)).toBe(may));
});

import { describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { readEntries } from './added-contacts.rules.js';

const ID = newId();
const read = (...data: unknown[]) =>
  readEntries(data).map(({ identifier, reason }) => [identifier, reason] as const);

describe('spec 3-marketing §2.3 rule 2, §2.3 rule 4: an entry', () => {
  it('names its contact by one of id and email, in any spelling', () => {
    expect(
      read({ email: ' Ann@X.Test ' }, { id: ID.toUpperCase() }, { id: null, email: 'b@x.test' }),
    ).toEqual([
      [{ email: 'ann@x.test' }, undefined],
      [{ id: ID }, undefined],
      [{ email: 'b@x.test' }, undefined],
    ]);
  });

  it.each([
    [null, undefined],
    [7, undefined],
    [['a@x.test'], undefined],
    [{}, undefined],
    [{ id: null, email: null }, undefined],
    [{ id: ID, email: 'a@x.test' }, undefined],
    [{ id: 'a@x.test' }, undefined],
    [{ id: 7 }, undefined],
    [{ email: 7 }, undefined],
    [{ email: 'a@b@x.test' }, undefined],
    [{ email: 'no address' }, undefined],
    [{ email: 'a@x.test', tag: 1 }, { email: 'a@x.test' }],
  ])('%j is invalid and echoed only in good form', (entry, echoed) => {
    const [[identifier, reason] = []] = read(entry);
    expect(identifier).toEqual(echoed);
    expect(reason).toBeTypeOf('string');
  });

  it('that is repeated is invalid at any position', () => {
    const entries = read(
      { email: 'A@x.test' },
      { email: 'b@x.test' },
      { email: 'a@x.test' },
      { id: ID },
      { id: ID },
    );
    expect(entries.map(([, reason]) => reason === undefined)).toEqual([false, true, false, false, false]);
    expect(entries[0]?.[0]).toEqual({ email: 'a@x.test' });
  });
});

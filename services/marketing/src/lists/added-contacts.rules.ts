import { Uuid } from '@postmesh/contracts';
import { readContactEmail } from '../contacts/contact-email.rules.js';

/** The contact of a batch entry, in its canonical spelling. */
export type Identifier =
  { readonly email: string; readonly id?: never } | { readonly id: string; readonly email?: never };

export interface AddedEntry {
  readonly position: number;
  readonly identifier: Identifier | undefined;
  /** why it is invalid; undefined for a valid one */
  readonly reason: string | undefined;
}

/** Reads the entries of a batch (spec 3-marketing §2.3 batch rule 2): an invalid entry does not affect the others. */
export function readEntries(data: readonly unknown[]): AddedEntry[] {
  const entries = data.map((given, position) => ({ position, ...readEntry(given) }));
  const uses = new Map<string, number>();
  for (const { identifier } of entries) {
    if (identifier) uses.set(keyOf(identifier), (uses.get(keyOf(identifier)) ?? 0) + 1);
  }
  return entries.map((entry) => {
    const isRepeated = entry.identifier && (uses.get(keyOf(entry.identifier)) ?? 0) > 1;
    return isRepeated && entry.reason === undefined ? { ...entry, reason: REPEATED } : entry;
  });
}

const REPEATED = 'named more than once in this batch';

/** An id is no address, so both share a space of keys. */
const keyOf = ({ id, email }: Identifier): string => id ?? email;

function readEntry(given: unknown): Pick<AddedEntry, 'identifier' | 'reason'> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { identifier: undefined, reason: 'an entry must be an object' };
  }
  const { id = null, email = null } = given as Record<string, unknown>;
  if ((id === null) === (email === null)) {
    return { identifier: undefined, reason: 'an entry must have either an id or an email' };
  }
  const identifier = id === null ? readEmail(email) : readId(id);
  const unknown = Object.keys(given).find((name) => name !== 'id' && name !== 'email');
  if (!identifier) return { identifier, reason: id === null ? 'invalid email' : 'invalid id' };
  return { identifier, reason: unknown === undefined ? undefined : `unknown field: ${unknown}` };
}

function readEmail(given: unknown): Identifier | undefined {
  if (typeof given !== 'string') return undefined;
  const email = readContactEmail(given);
  return email === undefined ? undefined : { email };
}

function readId(given: unknown): Identifier | undefined {
  const id = Uuid.safeParse(given);
  return id.success ? { id: id.data } : undefined;
}

interface AccountFact {
  account_id: string;
  revision: number;
}

/** The newest of several facts of each account, because one upsert may change a row of a copy only once. */
export function newestPerAccount<F extends AccountFact>(facts: readonly F[]): F[] {
  const newest = new Map<string, F>();
  for (const fact of facts) {
    const known = newest.get(fact.account_id);
    if (!known || known.revision < fact.revision) newest.set(fact.account_id, fact);
  }
  return [...newest.values()];
}

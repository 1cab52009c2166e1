interface AccountFact {
  account_id: string;
  parent_account_id: string | null;
  state: string;
  revision: number;
}

/** One statement may touch a row only once: of several facts about an account the newest stays. */
export function newestPerAccount<F extends AccountFact>(facts: readonly F[]): F[] {
  const newest = new Map<string, F>();
  for (const fact of facts) {
    const known = newest.get(fact.account_id);
    if (!known || known.revision < fact.revision) newest.set(fact.account_id, fact);
  }
  return [...newest.values()];
}

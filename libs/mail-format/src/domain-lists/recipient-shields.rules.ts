import type { AccountFacts } from '@postmesh/contracts';
import { isListedOrBelow } from './domain-lists.js';

// Literal, in the words of the contract (spec 1-platform §7 rule 4).
const TOXIC = '553 Requested action not taken: recipient domain is toxic or tempmail';
const MISTYPED = '553 Requested action not taken: recipient domain has common a typo';

export type ShieldFacts = Pick<AccountFacts, 'reject_bad_recipients' | 'reject_mistyped_recipients'>;

export interface ShieldLists {
  toxic: ReadonlySet<string>;
  mistyped: ReadonlySet<string>;
}

/** Returns the text with which a recipient at this domain is rejected, if it is. @param domain normalised */
export type Shield = (domain: string) => string | undefined;

/** The operator of a throw-away domain also runs the names below it; a typo is one exact name. */
export function shieldOf(account: ShieldFacts, lists: ShieldLists): Shield {
  return (domain) => {
    if (account.reject_bad_recipients && isListedOrBelow(lists.toxic, domain)) return TOXIC;
    if (account.reject_mistyped_recipients && lists.mistyped.has(domain)) return MISTYPED;
    return undefined;
  };
}

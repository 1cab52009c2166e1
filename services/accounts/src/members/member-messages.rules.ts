import type { SystemMessage } from '../system-mail/message.rules.js';
import type { MemberRole } from './member-roles.js';

export interface NewMembership {
  accountName: string;
  role: MemberRole;
  /** where the API answers */
  address: string;
}

const facts = ({ accountName, role, address }: NewMembership) =>
  [
    ['Account', accountName],
    ['Your role', role],
    ['API', address],
  ] as const;

/** To somebody whom Postmesh did not know (spec 1-platform §8 rule 1). */
export function invitation(membership: NewMembership): SystemMessage {
  return {
    kind: 'invitation',
    subject: `You have been invited to ${membership.accountName}`,
    opening: [
      'Hello,',
      `somebody who manages the account ${membership.accountName} has made you a member of it. The account sends email through Postmesh.`,
    ],
    facts: facts(membership),
    closing: [
      'The membership is in effect already; you need not do anything. What happens to the account is told to this address.',
      'If you do not know this account, ask its owner to remove you, or simply ignore this message.',
    ],
  };
}

/** To somebody who is a member elsewhere, or was one here before. */
export function newMembership(membership: NewMembership): SystemMessage {
  return {
    kind: 'membership',
    subject: `You are now a member of ${membership.accountName}`,
    opening: [`You are now a member of the account ${membership.accountName}.`],
    facts: facts(membership),
    closing: [],
  };
}

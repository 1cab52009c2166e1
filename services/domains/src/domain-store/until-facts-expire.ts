import { pause } from '@postmesh/concurrency';
import { DOMAIN_FACTS_USABLE_MS } from '@postmesh/domains-contract';
import { isDnsValid, type SendingDomain } from '../database/entities.js';

const maySend = (domain: SendingDomain): boolean => isDnsValid(domain) && domain.pausedAt === null;

/**
 * Resolves once no service uses facts from before a change that ended sending; at once after any other change. Called
 * between the commit of the change and its response, so that the next request sees the change (ADR 95).
 * @param before the locked row
 * @param after undefined: the domain is deleted, maybe right after another change; never valid ones are not cached
 */
export async function untilFactsExpire(
  before: SendingDomain,
  after: SendingDomain | undefined,
): Promise<void> {
  const endsSending = after ? maySend(before) && !maySend(after) : before.state !== 'pending';
  if (endsSending) await pause(DOMAIN_FACTS_USABLE_MS);
}

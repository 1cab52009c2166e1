import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { DomainFacts } from '@postmesh/domains-contract';

// In the order of ids, so that two transactions that update the same rows cannot deadlock.
const RAISE_BY_DOMAIN = `update campaigns set due_at = now() where id = any(array(
  select id from campaigns where from_domain_id = any($1::uuid[]) and status in ('sending', 'paused')
  order by id for update))`;

// A paused campaign may continue, or is canceled; a waiting or validating one is canceled with its account.
const RAISE_BY_ACCOUNT = `update campaigns set due_at = now() where id = any(array(
  select id from campaigns where account_id = any($1::uuid[])
    and status in ('validating', 'waiting_for_review', 'scheduled', 'sending', 'paused')
  order by id for update))`;

/** Campaigns whose sender's domain was paused, lost its records, became valid again, or was deleted. */
@Injectable()
export class CampaignsOfDomain {
  /** Makes them due at once; the machine reads the current facts. */
  async changed(tx: EntityManager, facts: readonly Pick<DomainFacts, 'domain_id'>[]): Promise<void> {
    const ids = [...new Set(facts.map(({ domain_id }) => domain_id))];
    if (ids.length > 0) await tx.query(RAISE_BY_DOMAIN, [ids]);
  }
}

/** Campaigns of an account that was suspended, closed, or may send again. */
@Injectable()
export class CampaignsOfAccount {
  /** Like the campaigns of a domain. */
  async changed(tx: EntityManager, facts: readonly { account_id: string }[]): Promise<void> {
    const ids = [...new Set(facts.map(({ account_id }) => account_id))];
    if (ids.length > 0) await tx.query(RAISE_BY_ACCOUNT, [ids]);
  }
}

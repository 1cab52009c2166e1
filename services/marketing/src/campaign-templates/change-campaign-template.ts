import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Transient } from '@postmesh/contracts';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import type { CampaignTemplate, CampaignTemplateFields } from './campaign-template.js';
import { CampaignTemplatesRepository, type TemplateRef } from './campaign-templates.repository.js';

// At least one of the concurrent writers succeeds in each round.
const ROUNDS = 12;
const LOCK_WAIT = '10s';

/** The fields that a write results in. It is called again when another write was faster. */
type Decide = (template: CampaignTemplate) => Promise<CampaignTemplateFields>;

/**
 * Every change of a campaign template: one after the other, on the newest state (spec 3-marketing §3.2 U17). A design
 * is compiled without a lock: the decision is applied if the template is still the one that was read.
 */
@Injectable()
export class ChangeCampaignTemplate {
  constructor(
    private readonly dataSource: DataSource,
    private readonly templates: CampaignTemplatesRepository,
  ) {}

  /** @throws ApiError 401, 404 or an error of the decision; Transient when other writes were faster in every round */
  async execute(
    ref: TemplateRef,
    decide: Decide,
    remember: Remember<CampaignTemplate> = forgetResult,
  ): Promise<CampaignTemplate> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const seen = await this.templates.get(ref);
      const next = changed(seen, await decide(seen));
      const isDone = await this.dataSource.transaction((tx) => this.write(tx, ref, { seen, next, remember }));
      if (isDone) return next;
    }
    throw new Transient('a campaign template is changed by others again and again');
  }

  /** @returns false when the template has changed since it was read */
  private async write(
    tx: EntityManager,
    ref: TemplateRef,
    {
      seen,
      next,
      remember,
    }: { seen: CampaignTemplate; next: CampaignTemplate; remember: Remember<CampaignTemplate> },
  ): Promise<boolean> {
    await requirePresent(tx, ref.accountId);
    await tx.query(`set local lock_timeout = '${LOCK_WAIT}'`);
    if (!isDeepStrictEqual(await this.templates.lock(tx, ref), seen)) return false;
    if (next !== seen) await this.templates.update(tx, next);
    await remember(tx, next);
    return true;
  }
}

/** @returns the same when nothing changes: its `updated_at` stays (rule U16) */
function changed(template: CampaignTemplate, fields: CampaignTemplateFields): CampaignTemplate {
  const next = { ...template, ...fields };
  return isDeepStrictEqual(next, { ...template }) ? template : { ...next, updatedAt: new Date() };
}

import { CampaignReviewChanged } from '@postmesh/marketing-contract';
import type { CampaignState } from './campaign-moves.js';

type Outcome = ReturnType<typeof CampaignReviewChanged.parse>['data']['outcome'];

/** For the mail to the members of the account (spec 3-marketing §6 rule 5). */
export const reviewChanged = (
  { id: campaign_id, accountId: account_id, name }: CampaignState,
  outcome: Outcome,
  note: string | null,
) => CampaignReviewChanged.make({ campaign_id, account_id, name, outcome, note }, { account_id });

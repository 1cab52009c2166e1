import type { DomainFacts } from '@postmesh/domains-contract';
import { hasBody, hasUnsubscribeLink } from '@postmesh/designs';
import { templateProblem } from '@postmesh/templates';
import {
  ISSUES,
  type Campaign,
  type CampaignHead,
  type CampaignSender,
  type ContentIssue,
  type IssueCode,
  type ShownCampaign,
} from './campaign.js';

/** The facts of a campaign's lists: whether there are any, and whether they have a contact that can be sent to. */
export interface ListFacts {
  hasLists: boolean;
  hasSubscribers: boolean;
}

export interface IssueFacts {
  campaign: Pick<CampaignHead, 'subject' | 'from' | 'hasContent' | 'contentIssues'>;
  /** of the sender's domain; undefined when the account does not have it */
  domain: DomainFacts | undefined;
  lists: ListFacts;
}

/** The issues that keep a draft from being sent (spec 3-marketing §3.3), in the order of the contract. */
export function issuesOf({ campaign, domain, lists }: IssueFacts): IssueCode[] {
  const found = new Set<IssueCode>([
    ...(campaign.subject === null ? (['subject_missing'] as const) : []),
    ...senderIssues(existingSender(campaign.from, domain), domain),
    ...listIssues(lists),
    ...(campaign.hasContent ? campaign.contentIssues : (['content_missing'] as const)),
  ]);
  return (Object.keys(ISSUES) as IssueCode[]).filter((code) => found.has(code));
}

function senderIssues(from: CampaignSender | null, domain: DomainFacts | undefined): IssueCode[] {
  if (!from || !domain) return ['sender_missing'];
  return [
    ...(domain.dns_valid ? [] : (['sender_domain_invalid'] as const)),
    ...(domain.paused ? (['sender_domain_paused'] as const) : []),
  ];
}

function listIssues({ hasLists, hasSubscribers }: ListFacts): IssueCode[] {
  if (!hasLists) return ['lists_missing'];
  return hasSubscribers ? [] : ['lists_empty'];
}

/** A sender whose domain is deleted does not exist; a domain added again under the same name is another one. */
export function existingSender(
  from: CampaignSender | null,
  domain: DomainFacts | undefined,
): CampaignSender | null {
  return from && domain && !domain.deleted && domain.domain_id === from.domainId ? from : null;
}

const NO_LISTS: ListFacts = { hasLists: false, hasSubscribers: false };

/**
 * The public form of a campaign: a draft with its current issues.
 * @param domain of its sender, of a draft
 */
export function shown<C extends CampaignHead>(
  campaign: C,
  domain: DomainFacts | undefined,
  lists: ListFacts = NO_LISTS,
): ShownCampaign<C> {
  if (campaign.status !== 'draft') return { campaign, issues: null };
  const from = existingSender(campaign.from, domain);
  return { campaign: { ...campaign, from }, issues: issuesOf({ campaign, domain, lists }) };
}

/** Issues of the content, for writers of one of these fields: they are stored with it. */
export function contentIssues(
  campaign: Pick<Campaign, 'subject' | 'preheader' | 'html' | 'text'>,
): ContentIssue[] {
  if (!hasBody(campaign)) return [];
  const { subject, preheader, html, text } = campaign;
  const renders = [subject, preheader, html, text].every(
    (part) => part === null || templateProblem(part) === undefined,
  );
  return [
    ...(renders ? [] : (['content_unrenderable'] as const)),
    ...(hasUnsubscribeLink(campaign) ? [] : (['unsubscribe_link_missing'] as const)),
  ];
}

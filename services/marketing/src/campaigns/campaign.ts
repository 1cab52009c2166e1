import { ApiError, type AccountId } from '@postmesh/contracts';
import type { DesignBody, Editor } from '@postmesh/designs';
import type { CampaignStatus } from '../campaign-states/campaign-state.rules.js';

/** The sender of a campaign. `domainId`: a domain that is deleted and added again is another one. */
export interface CampaignSender {
  email: string;
  name: string;
  domain: string;
  domainId: string;
}

/** A row of `campaigns` without its design. */
export interface CampaignHead {
  id: string;
  accountId: AccountId;
  createdAt: Date;
  updatedAt: Date;
  name: string;
  subject: string | null;
  preheader: string | null;
  /** null until it is set, and once its domain was deleted */
  from: CampaignSender | null;
  replyTo: string | null;
  status: CampaignStatus;
  statusReason: string | null;
  sendAt: Date | null;
  sendResumesAt: Date | null;
  finishedAt: Date | null;
  editor: Editor | null;
  /** HTML or text */
  hasContent: boolean;
  /** issues found in the content when it was written */
  contentIssues: ContentIssue[];
}

export interface Campaign extends CampaignHead, DesignBody {
  /** the blocks of the editor `simple` */
  design: object | null;
  /** existing lists, in saved order */
  listIds: string[];
}

/** The fields of a new campaign. */
export type NewCampaign = Omit<
  Campaign,
  'hasContent' | 'status' | 'statusReason' | 'sendAt' | 'sendResumesAt' | 'finishedAt'
>;

/** The fields that PUT can change. */
export type CampaignFields = Pick<
  Campaign,
  | 'name'
  | 'subject'
  | 'preheader'
  | 'from'
  | 'replyTo'
  | 'listIds'
  | 'editor'
  | 'design'
  | 'contentIssues'
  | keyof DesignBody
>;

/** Codes of spec 3-marketing §3.3, in the order in which they are reported. */
export const ISSUES = {
  subject_missing: 'the campaign has no subject',
  sender_missing: 'the campaign has no sender',
  sender_domain_invalid: "the sender's domain has no valid DNS records",
  sender_domain_paused: "sending from the sender's domain is paused",
  lists_missing: 'the campaign has no list',
  lists_empty: "the campaign's lists have no subscribers",
  content_missing: 'the campaign has no content',
  content_unrenderable: 'the campaign holds a {{, {% or {# that cannot be rendered',
  unsubscribe_link_missing: 'the campaign has no unsubscribe link',
} as const;
export type IssueCode = keyof typeof ISSUES;
export type ContentIssue = Extract<IssueCode, 'content_unrenderable' | 'unsubscribe_link_missing'>;

/** The public form of a campaign. */
export interface ShownCampaign<C extends CampaignHead = Campaign> {
  campaign: C;
  /** null unless it is a draft */
  issues: IssueCode[] | null;
}

export const CampaignErrors = {
  notDraft: () => new ApiError(409, 'campaign is not a draft'),
  notReady: (issues: readonly IssueCode[]) =>
    new ApiError(400, `campaign is not ready: ${issues.join(', ')}`),
} as const;

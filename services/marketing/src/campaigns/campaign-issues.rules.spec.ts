import { describe, expect, it } from 'vitest';
import type { DomainFacts } from '@postmesh/domains-contract';
import { ISSUES, type CampaignSender, type IssueCode } from './campaign.js';
import { contentIssues, existingSender, issuesOf, shown, type IssueFacts } from './campaign-issues.rules.js';

const FROM: CampaignSender = { email: 'a@shop.test', name: '', domain: 'shop.test', domainId: 'd1' };
const DOMAIN = {
  domain_id: 'd1',
  domain: 'shop.test',
  dns_valid: true,
  paused: false,
  deleted: false,
} as DomainFacts;
const READY: IssueFacts = {
  campaign: { subject: 'S', from: FROM, hasContent: true, contentIssues: [] },
  domain: DOMAIN,
  lists: { hasLists: true, hasSubscribers: true },
};
const NO_LISTS = { hasLists: false, hasSubscribers: false };
const withCampaign = (more: Partial<IssueFacts['campaign']>) => ({
  campaign: { ...READY.campaign, ...more },
});

describe('spec 3-marketing §3.3 issues', () => {
  it.each<[IssueCode[], Partial<IssueFacts>]>([
    [[], {}],
    [['subject_missing'], withCampaign({ subject: null })],
    [['sender_missing'], withCampaign({ from: null })],
    [['sender_missing'], { domain: undefined }],
    [['sender_missing'], { domain: { ...DOMAIN, domain_id: 'd2' } }],
    [['sender_missing'], { domain: { ...DOMAIN, deleted: true, dns_valid: false } }],
    [['sender_domain_invalid'], { domain: { ...DOMAIN, dns_valid: false } }],
    [['sender_domain_paused'], { domain: { ...DOMAIN, paused: true } }],
    [
      ['sender_domain_invalid', 'sender_domain_paused'],
      { domain: { ...DOMAIN, dns_valid: false, paused: true } },
    ],
    [['lists_missing'], { lists: NO_LISTS }],
    [['lists_empty'], { lists: { hasLists: true, hasSubscribers: false } }],
    [['content_missing'], withCampaign({ hasContent: false, contentIssues: ['unsubscribe_link_missing'] })],
    [
      ['content_unrenderable', 'unsubscribe_link_missing'],
      withCampaign({ contentIssues: ['unsubscribe_link_missing', 'content_unrenderable'] }),
    ],
    [
      ['subject_missing', 'sender_missing', 'lists_missing', 'content_missing'],
      {
        campaign: { subject: null, from: null, hasContent: false, contentIssues: [] },
        domain: undefined,
        lists: NO_LISTS,
      },
    ],
  ])('spec 3-marketing §3.3 %j are reported, in this order', (codes, facts) => {
    expect(issuesOf({ ...READY, ...facts })).toEqual(codes);
  });

  it('spec 3-marketing §3.3 every code has its message', () => {
    expect(Object.keys(ISSUES)).toHaveLength(9);
    expect(ISSUES.content_unrenderable).toBe('the campaign holds a {{, {% or {# that cannot be rendered');
  });

  it('spec 3-marketing §3.1 a campaign that is no draft has no issues, and its sender is as it is stored', () => {
    const sent = { ...READY.campaign, status: 'sent' } as Parameters<typeof shown>[0];
    expect(shown(sent, undefined)).toEqual({ campaign: sent, issues: null });
    expect(shown({ ...sent, status: 'draft' }, undefined)).toMatchObject({ campaign: { from: null } });
    expect(existingSender(FROM, DOMAIN)).toBe(FROM);
  });

  it('spec 3-marketing §3.3 §5.3 content is judged by its parsed form: the HTML, or the text when there is no HTML', () => {
    const link = '{{ unsubscribe_url }}';
    const of = (more: object) =>
      contentIssues({ subject: null, preheader: null, html: null, text: null, ...more });
    expect(of({})).toEqual([]);
    expect(of({ html: `<a href="${link}">stop</a>`, text: 'none' })).toEqual([]);
    expect(of({ html: `{% if a %}${link}{% endif %}` })).toEqual([]);
    expect(of({ text: link })).toEqual([]);
    for (const html of ['unsubscribe_url', `{# ${link} #}`, '{{ "unsubscribe_url" }}']) {
      expect(of({ html, text: link })).toEqual(['unsubscribe_link_missing']);
    }
    for (const broken of [{ subject: '{{ a' }, { preheader: '{% if %}' }, { text: '{#' }]) {
      expect(of({ html: link, ...broken })).toEqual(['content_unrenderable']);
    }
  });
});

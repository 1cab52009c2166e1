import type { CampaignReviewChanged } from '@postmesh/marketing-contract';
import type { MailSlowed } from '@postmesh/delivery-worker-contract';
import type { DomainDnsFailed } from '@postmesh/domains-contract';
import type { DomainAlignmentChanged } from '@postmesh/messages-contract';
import type { WebhookDisabled, WebhookFailing } from '@postmesh/webhooks-contract';
import type { SystemMessage } from './message.rules.js';

type SlowedMail = ReturnType<typeof MailSlowed.parse>['data'];
type FallenDomain = ReturnType<typeof DomainAlignmentChanged.parse>['data'];
type FailedDomain = ReturnType<typeof DomainDnsFailed.parse>['data'];
type ReviewedCampaign = ReturnType<typeof CampaignReviewChanged.parse>['data'];
type DisabledWebhook = ReturnType<typeof WebhookDisabled.parse>['data'];
type FailingWebhook = ReturnType<typeof WebhookFailing.parse>['data'];

// Names in one message, for readers and for the size of events.
const MAX_NAMED = 100;

/** Domains of one account that can no longer send (spec 1-platform §11.5 rule 5). */
export function domainsFailed(accountName: string, domains: readonly FailedDomain[]): SystemMessage {
  const [first] = domains;
  const unnamed = Math.max(0, domains.length - MAX_NAMED);
  const subject =
    domains.length === 1 && first
      ? `${first.domain} can no longer send email`
      : `${domains.length} domains of ${accountName} can no longer send email`;
  return {
    kind: 'domain-dns-failed',
    subject,
    opening: [
      `Required DNS records of domains of the account ${accountName} are missing or wrong. New email from these domains is refused until a check finds the records; email that was accepted before is still delivered.`,
    ],
    facts: [
      ...domains
        .slice(0, MAX_NAMED)
        .map(
          (domain) =>
            [domain.domain, `${wrongParts(domain)}, checked at ${domain.dns_last_checked_at}`] as const,
        ),
      ...(unnamed > 0 ? [['Others', `${unnamed} more domains`] as const] : []),
    ],
    closing: [
      `Publish each required record that is not propagated: GET ${domainPath(domains)} lists them all.`,
      `Postmesh repeats the check automatically; POST ${domainPath(domains)}/check-dns runs it at once.`,
    ],
  };
}

/** @param domains at least one, of one account */
const domainPath = ([first, ...others]: readonly FailedDomain[]): string =>
  `/v2/accounts/${first?.account_id}/domains/${others.length === 0 ? first?.domain : '{domain}'}`;

function wrongParts(domain: FailedDomain): string {
  const wrong = [
    ...(domain.spf_valid ? [] : ['SPF']),
    ...(domain.dkim_valid ? [] : ['DKIM']),
    ...(domain.dmarc_valid ? [] : ['DMARC']),
  ];
  return `${wrong.length === 0 ? 'other records' : wrong.join(', ')} missing or wrong`;
}

/** Receivers report less aligned mail of a domain than before (decision 150). */
export function alignmentFallen(
  accountName: string,
  { domain, share, usual, changed_at }: FallenDomain,
): SystemMessage {
  const percent = (part: number) => `${Math.round(part * 100)} %`;
  return {
    kind: 'domain-alignment-fallen',
    subject: `Less mail of ${domain} proves its sender`,
    opening: [
      `Mailbox providers report that less mail with ${domain} in its sender passes DMARC than before. Either a program of ${accountName} sends with it that is not in your records, or another person does.`,
    ],
    facts: [
      ['Domain', domain],
      ['Aligned in the last two reported days', percent(share)],
      ['Before', percent(usual)],
      ['Since', changed_at],
    ],
    closing: [
      `The page of ${domain} in the console names the source, the provider, and what to change.`,
      'There is one such message until the share is as before.',
    ],
  };
}

/** Mail of the account has waited long for providers. */
export function mailSlowed(accountName: string, { waits }: SlowedMail): SystemMessage {
  const providers = waits.map(({ by }) => by);
  return {
    kind: 'mail-slowed',
    subject: `Mail of ${accountName} waits for ${providers[0]}${providers.length > 1 ? ' and others' : ''}`,
    opening: [
      `Mail of the account ${accountName} has waited for more than half an hour, because ${providers.join(', ')} ${providers.length > 1 ? 'take' : 'takes'} little or nothing from this installation at the moment. Nothing is lost: each message is tried until it is delivered or expires.`,
    ],
    facts: waits.map(({ by, messages, share, destinations, since, until, reason }) => [
      by,
      `${messages} messages, ${Math.round(share * 100)} % of what is queued, to ${destinations.join(', ')}, since ${since}; ${until === null ? reason : `tried again at ${until}: ${reason}`}`,
    ]),
    closing: [
      'You need not do anything for the mail that waits. Providers slow down mail that their users did not ask for: send to recipients who expect it, and spread large mailings over hours.',
      'There is one such message a day at most; Home in the console shows the present state.',
    ],
  };
}

/** Every call of a webhook or a route has failed for an hour (spec 2-messages §18 rule 8). */
export function webhookFailing(accountName: string, endpoint: FailingWebhook): SystemMessage {
  const what = kindOf(endpoint);
  return {
    kind: 'webhook-failing',
    subject: `The ${what} ${endpoint.name} of ${accountName} is failing`,
    opening: [
      `Every call of this ${what} has failed for some time. Postmesh now calls it at a low rate, and makes the waiting calls after the first success. If every call fails until ${endpoint.disabled_from}, the ${what} is disabled.`,
    ],
    facts: endpointFacts(accountName, endpoint),
    closing: [
      `Repair its receiver. The ${what} need not be enabled again while it is failing. A call without tries left is not repeated automatically: request the missed calls with ${recoverCall(endpoint)} when the receiver works again.`,
    ],
  };
}

/** A webhook or a route that the service disabled (spec 2-messages §18 rule 8, spec 1-platform §13.5 rule 3). */
export function webhookDisabled(accountName: string, endpoint: DisabledWebhook): SystemMessage {
  const what = kindOf(endpoint);
  const meanwhile =
    what === 'route'
      ? 'Mail that arrives while it is disabled is not kept for it, and is refused unless another route matches.'
      : 'Events that occur while it is disabled are kept for some days.';
  return {
    kind: 'webhook-disabled',
    subject: `The ${what} ${endpoint.name} of ${accountName} was disabled`,
    opening: [`This ${what} was disabled because every call of it has failed for days. ${meanwhile}`],
    facts: endpointFacts(accountName, endpoint),
    closing: [
      `Repair its receiver, and enable the ${what} with PUT ${pathOf(endpoint)} {"enabled": true}. Then request the missed calls with ${recoverCall(endpoint)}; they are not made without this request.`,
    ],
  };
}

type Endpoint = FailingWebhook | DisabledWebhook;

const kindOf = ({ target }: Endpoint) => target ?? 'webhook';

const endpointFacts = (accountName: string, endpoint: Endpoint): SystemMessage['facts'] => {
  const { name, webhook_id, failing_since, failures, last_failure } = endpoint;
  return [
    ['Account', accountName],
    [kindOf(endpoint) === 'route' ? 'Route' : 'Webhook', name],
    ['Id', webhook_id],
    ...(failing_since === undefined ? [] : [['Failing since', failing_since] as const]),
    ...(failures === undefined ? [] : [['Failures in a row', `${failures}`] as const]),
    ...(last_failure ? [['Last failure', last_failure] as const] : []),
  ];
};

const pathOf = (endpoint: Endpoint): string =>
  `/v2/accounts/${endpoint.account_id}/${kindOf(endpoint)}s/${endpoint.webhook_id}`;

const recoverCall = (endpoint: Endpoint): string => {
  const since = endpoint.failing_since === undefined ? '' : ` {"since": "${endpoint.failing_since}"}`;
  return `POST ${pathOf(endpoint)}/recover${since}`;
};

/** The texts of each outcome of a review (spec 3-marketing §6 rule 5). */
const REVIEWS: Record<
  ReviewedCampaign['outcome'],
  { subject: string; opening: string; closing: (path: string) => string }
> = {
  pending: {
    subject: 'waits for a review',
    opening: 'This campaign is held until an operator has reviewed it. None of its messages was sent.',
    closing: (path) =>
      `You get a message with the outcome of the review. To change the campaign before that, make it a draft again with POST ${path}/unschedule.`,
  },
  approved: {
    subject: 'was approved',
    opening:
      'An operator has approved this campaign. It is sent at its scheduled time, or now if that has passed.',
    closing: () => 'You need not do anything.',
  },
  returned: {
    subject: 'was returned',
    opening:
      'An operator has returned this campaign. It is a draft again, and none of its messages was sent.',
    closing: (path) => `Change the campaign as the note says, and send it again with POST ${path}/send.`,
  },
  rejected: {
    subject: 'was rejected',
    opening: 'An operator has rejected this campaign. It is canceled, and none of its messages was sent.',
    closing: (path) => `POST ${path}/duplicate makes a new draft with the same content.`,
  },
};

/** A campaign waits for a review, or has the outcome of its review. */
export function campaignReviewChanged(
  accountName: string,
  { campaign_id, account_id, name, outcome, note }: ReviewedCampaign,
): SystemMessage {
  const { subject, opening, closing } = REVIEWS[outcome];
  return {
    kind: 'campaign-review-changed',
    subject: `A campaign of ${accountName} ${subject}`,
    // an operator's note may be longer than a fact
    opening: [
      opening,
      ...(note === null ? [] : [`${outcome === 'pending' ? 'The reason' : 'The note'}: ${note}`]),
    ],
    facts: [
      ['Account', accountName],
      ['Campaign', name],
      ['Id', campaign_id],
    ],
    closing: [closing(`/v2/accounts/${account_id}/campaigns/${campaign_id}`)],
  };
}

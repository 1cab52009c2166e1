import type { CampaignReviewChanged } from '@postmesh/marketing-contract';
import type { DomainDnsFailed } from '@postmesh/domains-contract';
import type { WebhookDisabled, WebhookFailing } from '@postmesh/webhooks-contract';
import type { SystemMessage } from './message.rules.js';

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
      `DNS records of domains of the account ${accountName} are no longer as they must be. New email from these domains is refused until a check finds the records in order; email that was accepted before is still delivered.`,
    ],
    facts: [
      ...domains
        .slice(0, MAX_NAMED)
        .map(
          (domain) => [domain.domain, `${wrongParts(domain)}, seen ${domain.dns_last_checked_at}`] as const,
        ),
      ...(unnamed > 0 ? [['Others', `${unnamed} more domains`] as const] : []),
    ],
    closing: ['The domain itself lists the records to publish and which of them are found.'],
  };
}

function wrongParts(domain: FailedDomain): string {
  const wrong = [
    ...(domain.spf_valid ? [] : ['SPF']),
    ...(domain.dkim_valid ? [] : ['DKIM']),
    ...(domain.dmarc_valid ? [] : ['DMARC']),
  ];
  return `${wrong.length === 0 ? 'other records' : wrong.join(', ')} not in order`;
}

/** Every call of a webhook or a route has failed for an hour (spec 2-messages §18 rule 8). */
export function webhookFailing(accountName: string, endpoint: FailingWebhook): SystemMessage {
  const what = kindOf(endpoint);
  return {
    kind: 'webhook-failing',
    subject: `The ${what} ${endpoint.name} of ${accountName} is failing`,
    opening: [
      `Every call of a ${what} has failed for some time. It is called again now and then; when it succeeds, the calls that wait are made. If every call fails until ${endpoint.disabled_from}, the ${what} is disabled.`,
    ],
    facts: endpointFacts(accountName, endpoint),
    closing: [
      `Nothing has to be enabled while it is failing. A call that used up its tries is not made again automatically: when the receiver succeeds again, ask for what it did not get with ${recoverCall(endpoint)}.`,
    ],
  };
}

/** A webhook or a route that the service disabled (spec 2-messages §18 rule 8, spec 1-platform §13.5 rule 3). */
export function webhookDisabled(accountName: string, endpoint: DisabledWebhook): SystemMessage {
  const what = kindOf(endpoint);
  const meanwhile =
    what === 'route'
      ? 'Mail that comes while it is disabled is not kept for it, and is refused where no other route takes it.'
      : 'Events that happen while it is disabled are kept for it for some days.';
  return {
    kind: 'webhook-disabled',
    subject: `The ${what} ${endpoint.name} of ${accountName} was disabled`,
    opening: [`A ${what} was disabled because every call of it has failed for days. ${meanwhile}`],
    facts: endpointFacts(accountName, endpoint),
    closing: [
      `When its receiver succeeds again: first enable it with PUT ${pathOf(endpoint)} {"enabled": true}, then ask for what it did not get with ${recoverCall(endpoint)}. Nothing of that is sent before it is asked for.`,
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
const REVIEWS: Record<ReviewedCampaign['outcome'], { subject: string; opening: string; closing: string }> = {
  pending: {
    subject: 'waits for a review',
    opening: 'A campaign is held until an operator has looked at it. Nothing of it was sent.',
    closing: 'You are told what comes of it. Until then you can take it back: it is a draft again then.',
  },
  approved: {
    subject: 'was approved',
    opening: 'An operator has looked at a campaign and let it go on. It begins at its time.',
    closing: '',
  },
  returned: {
    subject: 'was returned',
    opening:
      'An operator has looked at a campaign and returned it. It is a draft again; nothing of it was sent.',
    closing: 'Change what the note says, and send it again.',
  },
  rejected: {
    subject: 'was rejected',
    opening: 'An operator has looked at a campaign and rejected it. It is canceled; nothing of it was sent.',
    closing: '',
  },
};

/** A campaign waits for a review, or has the outcome of its review. */
export function campaignReviewChanged(
  accountName: string,
  { campaign_id, name, outcome, note }: ReviewedCampaign,
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
    closing: closing === '' ? [] : [closing],
  };
}

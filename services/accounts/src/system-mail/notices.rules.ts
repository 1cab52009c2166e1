import type { DomainDnsFailed, WebhookDisabled } from '@postmesh/contracts';
import type { SystemMessage } from './message.rules.js';

type FailedDomain = ReturnType<typeof DomainDnsFailed.parse>['data'];
type DisabledWebhook = ReturnType<typeof WebhookDisabled.parse>['data'];

// What somebody reads, and what an event may hold.
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

/** A webhook or a route that the service gave up (spec 2-messages §18 rule 8, 1-platform §13.5 rule 3). */
export function webhookDisabled(accountName: string, webhook: DisabledWebhook): SystemMessage {
  return webhook.target === 'route'
    ? routeDisabled(accountName, webhook)
    : hookDisabled(accountName, webhook);
}

function routeDisabled(accountName: string, route: DisabledWebhook): SystemMessage {
  return {
    kind: 'webhook-disabled',
    subject: `A route of ${accountName} was disabled`,
    opening: [
      'A route was disabled because more than 100 calls in a row have failed. What was still to be delivered to it is dropped. Mail that comes while it is disabled is not kept for it, and is refused where no other route takes it.',
    ],
    facts: [
      ['Account', accountName],
      ['Route', route.name],
      ['Id', route.webhook_id],
    ],
    closing: ['Enable it again when its receiver answers.'],
  };
}

function hookDisabled(accountName: string, webhook: DisabledWebhook): SystemMessage {
  return {
    kind: 'webhook-disabled',
    subject: `A webhook of ${accountName} was disabled`,
    opening: [
      'A webhook was disabled because more than 100 calls in a row have failed. What was still to be delivered to it is dropped, and no events are kept for it while it is disabled.',
    ],
    facts: [
      ['Account', accountName],
      ['Webhook', webhook.name],
      ['Id', webhook.webhook_id],
    ],
    closing: ['Enable it again when its receiver answers.'],
  };
}

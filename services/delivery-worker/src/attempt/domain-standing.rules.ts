import type { ClaimedDelivery } from '../queue/deliveries.table.js';

/** The standing of a sending domain, as the domains service has it now. */
export interface DomainStanding {
  readonly dnsValid: boolean;
  readonly paused: boolean;
}

type Handed = Pick<ClaimedDelivery, 'domain' | 'sandbox' | 'scheduled'>;

/**
 * Why a message has to wait for its sending domain, checked before each hand-over (spec 2-messages §8 rule 5). A
 * message that was to go out at once was judged when it was accepted, and is delivered although the DNS records have
 * broken since (spec 1-platform §11.5 rule 7); one that was accepted days ahead is judged now.
 * @returns undefined when it need not wait
 */
export function domainObstacle(
  { domain, sandbox, scheduled }: Handed,
  { dnsValid, paused }: DomainStanding,
): string | undefined {
  if (sandbox !== null) return undefined;
  if (paused) return `${PAUSED} ${domain} is paused`;
  if (!dnsValid && scheduled) return `${BROKEN} ${domain} are not valid`;
  return undefined;
}

const PAUSED = 'sending from the domain';
const BROKEN = 'the DNS records of the domain';

/** Whether the recorded reason of a wait is an obstacle of the domain. */
export const isOfDomain = (reason: string): boolean =>
  reason.startsWith(`${PAUSED} `) || reason.startsWith(`${BROKEN} `);

import { normaliseDomain } from '@postmesh/contracts';

/**
 * The domain that the service's own messages come from.
 * @param sender `POSTMESH_SYSTEM_SENDER`: `Name <address>` or an address; the service zone when there is none
 * @returns undefined when it names no domain
 */
export function systemSenderDomain(sender: string | undefined, serviceZone: string): string | undefined {
  const named = sender === undefined ? serviceZone : /@([^@\s<>]+)>?\s*$/.exec(sender)?.[1];
  return named === undefined ? undefined : normaliseDomain(named);
}

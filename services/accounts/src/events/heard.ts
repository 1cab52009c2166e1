import { DomainChanged } from '@postmesh/contracts';

/** What this service hears: deleted domains take their scopes along. */
export const HEARD = [DomainChanged] as const;

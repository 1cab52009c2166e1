import { DomainChanged, DomainDnsFailed } from '@postmesh/contracts';

/** What this service tells the others. */
export const PUBLISHED = [DomainChanged, DomainDnsFailed] as const;

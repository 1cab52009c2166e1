import { DomainChanged, DomainDnsFailed, WebhookDisabled } from '@postmesh/contracts';

/** What this service hears: deleted domains take their scopes along, and people are told what went wrong. */
export const HEARD = [DomainChanged, DomainDnsFailed, WebhookDisabled] as const;

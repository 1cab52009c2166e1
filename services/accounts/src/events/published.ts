import { AccountChanged } from '@postmesh/contracts';

/** What this service tells the others. */
export const PUBLISHED = [AccountChanged] as const;

import { AccountChanged, SystemMailRequested } from '@postmesh/contracts';

/** What this service tells the others. */
export const PUBLISHED = [AccountChanged, SystemMailRequested] as const;

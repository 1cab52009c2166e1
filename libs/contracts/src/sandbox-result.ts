import { z } from 'zod';

/** The simulated outcome of a sandbox send (spec 2-messages §10). */
export const SandboxResult = z.enum(['deliver', 'bounce', 'defer', 'fail', 'suppress']);
export type SandboxResult = z.infer<typeof SandboxResult>;

import { z } from 'zod';

/** What a list of domains can be narrowed to, as it stands in the query (spec 1-platform §11.3). */
export const ListDomainsQuery = z.object({
  dns_valid: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Only domains whose required records are right, or are not.' }),
  sending_type: z
    .enum(['transactional', 'marketing'])
    .optional()
    .meta({ description: 'Only domains for this kind of mail.' }),
});

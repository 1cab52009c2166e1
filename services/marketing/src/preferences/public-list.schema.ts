import { z } from 'zod';
import { ApiError, lineField } from '@postmesh/contracts';

/** Most lists that the preference centre of an account shows. */
export const MAX_PUBLIC_LISTS = 50;

const title = lineField('title', 100);

export const PublicListBody = z
  .object({ is_public: z.boolean(), title })
  .refine(({ is_public, title: text }) => !is_public || text !== '', { message: 'title must not be empty' });
export type PublicListBody = z.infer<typeof PublicListBody>;

export const PublicListResource = z
  .object({
    object: z.literal('public_list'),
    list_id: z.uuid(),
    is_public: z.boolean(),
    title: z
      .string()
      .meta({ description: 'The name that contacts see; the name of the list stays private.' }),
  })
  .meta({ id: 'PublicList', description: 'Whether the preference centre shows a list.' });
export type PublicListResource = z.infer<typeof PublicListResource>;

export const tooManyPublicLists = () =>
  new ApiError(409, `a preference centre shows at most ${MAX_PUBLIC_LISTS} lists`);

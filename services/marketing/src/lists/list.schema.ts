import { z } from 'zod';
import {
  ApiError,
  ApiErrors,
  isLongerThan,
  nameField,
  storableText,
  Timestamp,
  wellFormed,
  trimText,
} from '@postmesh/contracts';

const MAX_DESCRIPTION = 1_000;
const MAX_TAGS = 50;
const MAX_TAG = 255;
// The most given tags, including empty and equal ones; a longer list only costs memory.
const MAX_GIVEN_TAGS = 1_000;

const name = nameField();

const description = storableText('description')
  .transform((text) => wellFormed(trimText(text)))
  .refine((text) => !isLongerThan(text, MAX_DESCRIPTION), {
    message: `description must be at most ${MAX_DESCRIPTION} characters`,
  })
  .nullish()
  .meta({ description: 'Null means `""` for a new list, and no change for an existing one.' });

const tag = storableText('a tag').transform((text) => wellFormed(trimText(text)));

/** Without duplicates, in the order of their first occurrence; empty ones are dropped before they are counted. */
const tags = z
  .array(tag)
  .max(MAX_GIVEN_TAGS)
  .transform((given) => [...new Set(given.filter((text) => text !== ''))])
  .refine((kept) => kept.every((text) => !isLongerThan(text, MAX_TAG)), {
    message: `a tag must be at most ${MAX_TAG} characters`,
  })
  .refine((kept) => kept.length <= MAX_TAGS, { message: `tags must have at most ${MAX_TAGS} items` })
  .nullish()
  .meta({
    description: `Each at most ${MAX_TAG} characters. At most ${MAX_TAGS} after empty and equal ones are dropped.`,
  });

/** Body of `POST …/lists` (spec 3-marketing §2.3 L1 to L4). */
export const CreateListBody = z.object({ name, description, tags });
export type CreateListBody = z.infer<typeof CreateListBody>;

/** Body of `PUT …/lists/{id}`: omitted and null fields stay. */
export const UpdateListBody = z.object({ name: name.nullish(), description, tags });
export type UpdateListBody = z.infer<typeof UpdateListBody>;

/** Blank: no filter. */
export const ListListsQuery = z.object({
  name: storableText('name')
    .transform((text) => trimText(text))
    .optional()
    .meta({ description: 'Lists whose name contains this text, in any letter case.' }),
});
export type ListListsQuery = z.infer<typeof ListListsQuery>;

const shown = {
  object: z.literal('contact_list'),
  id: z.uuid(),
  created_at: Timestamp,
  updated_at: Timestamp,
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
};

/** A list without its count, for the lists of a contact. */
export const UncountedList = z
  .object(shown)
  .meta({ id: 'UncountedContactList', description: 'A list of contacts, without its count.' });

/** The public form (spec 3-marketing §2.1). */
export const ListResource = z
  .object({
    ...shown,
    contact_count: z.number().int().min(0).meta({
      description: 'Confirmed members that can be mailed: the recipients of a campaign to this list.',
    }),
  })
  .meta({ id: 'ContactList', description: 'A list of contacts. Its name is never shown to recipients.' });
export type ListResource = z.infer<typeof ListResource>;

/** A row of the table `lists`. */
export interface ListRow {
  id: string;
  created_at: Date;
  updated_at: Date;
  name: string;
  description: string;
  tags: string[];
}

/** @property counted the folded number plus the unfolded deltas, a bigint */
export interface CountedListRow extends ListRow {
  counted: string;
}

export const listResource = (row: CountedListRow): ListResource => ({
  ...uncountedList(row),
  contact_count: Number(row.counted),
});

export const uncountedList = (row: ListRow): z.infer<typeof UncountedList> => ({
  object: 'contact_list',
  id: row.id,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  name: row.name,
  description: row.description,
  tags: row.tags,
});

export const ListErrors = {
  notFound: () => ApiErrors.notFound('list'),
  inUse: () => new ApiError(409, 'list is used by a campaign that is not finished'),
} as const;

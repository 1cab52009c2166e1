import { z } from 'zod';

// The common parts of responses. A schema with a `meta({ id })` is a component of the API document, to which others
// refer by that name.

/** RFC 3339 in UTC, as `Date.toISOString` writes it. */
export const Timestamp = z.iso.datetime();

/** Every error, and the response of a DELETE or an action without a resource (spec 1-platform §1.1, §1.4). */
export const MessageResponse = z
  .object({ message: z.string().meta({ description: 'For people. Do not parse it.' }) })
  .meta({ id: 'Message', description: 'Says in words what was done.' });
export type MessageResponse = z.infer<typeof MessageResponse>;

/** Spec 1-platform §1.3 rules 4 to 6: a cursor that does not exist is left out. */
export const Pagination = z
  .object({
    has_more: z.boolean().meta({ description: 'Whether items exist after the last one of this page.' }),
    next_cursor: z
      .string()
      .optional()
      .meta({ description: 'Give it as `after` to get the next page. Left out on the last page.' }),
    previous_cursor: z.string().optional().meta({
      description: 'Give it as `before` to get the page before. Left out at the start of the list.',
    }),
  })
  .meta({ id: 'Pagination', description: 'Where this page stands in the list.' });
export type Pagination = z.infer<typeof Pagination>;

const list = <T extends z.ZodType>(item: T) => z.object({ object: z.literal('list'), data: z.array(item) });

/** A list of a named component is a named component, too: `DomainPage`, `MemberList`. */
function named<L extends z.ZodType>(schema: L, item: z.ZodType, kind: 'List' | 'Page'): L {
  const id = item.meta()?.id;
  return id === undefined ? schema : schema.meta({ id: id + kind });
}

/** A list that is not paginated. */
export const listOf = <T extends z.ZodType>(item: T) => named(list(item), item, 'List');

/** One page of a list. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  named(list(item).extend({ pagination: Pagination }), item, 'Page');

/** Spec 3-marketing §0 rule 8: all three fields are present. */
export const FullPagination = z
  .object({
    has_more: z.boolean().meta({ description: 'Whether the list continues in the requested direction.' }),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'Give it as `after` to get the next page. null on the last page.' }),
    previous_cursor: z.string().nullable().meta({
      description: 'Give it as `before` to get the page before. null at the start of the list.',
    }),
  })
  .meta({ id: 'FullPagination', description: 'Where this page stands in the list.' });

/** One page of a list of marketing. */
export const fullPageOf = <T extends z.ZodType>(item: T) =>
  named(list(item).extend({ pagination: FullPagination }), item, 'Page');

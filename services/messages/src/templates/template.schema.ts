import { z } from 'zod';
import { isLongerThan, listOf, pageOf, Timestamp } from '@postmesh/contracts';
import {
  EMPTY_COPY,
  type CopyFields,
  type Template,
  type TemplateCopy,
  type TemplateVersion,
} from './template.js';

const MAX_NAME = 255;
/** Of a sender, in characters. */
export const MAX_SENDER_NAME = 255;
const MAX_SUBJECT = 998;
const MAX_PREHEADER = 500;
const MiB = 1024 * 1024;
const MAX_DESIGN_BYTES = MiB;
const MAX_TEXT_BYTES = 256 * 1024;

// Half of a surrogate pair, which JSON can carry and no database stores, becomes U+FFFD.
const wellFormed = (text: string): string => Buffer.from(text).toString();
const noNul = (field: string) => (text: z.ZodString) =>
  // Postgres keeps no such character
  text.refine((value) => !value.includes('\u0000'), { message: `${field} must not contain a NUL character` });

/** One line of at most so many characters: trimmed, line breaks become spaces. */
const line = (field: string, max: number) =>
  noNul(field)(z.string())
    .refine((text) => !isLongerThan(text.trim(), max), {
      message: `${field} must be at most ${max} characters`,
    })
    .transform((text) => wellFormed(text.trim().replaceAll(/\r\n|[\r\n]/g, ' ')))
    .meta({ maxLength: max });

const name = noNul('name')(z.string())
  .refine((text) => text.trim() !== '', { message: 'name must not be empty' })
  .refine((text) => !isLongerThan(text.trim(), MAX_NAME), {
    message: `name must be at most ${MAX_NAME} characters`,
  })
  .transform((text) => wellFormed(text.trim()))
  .meta({ minLength: 1, maxLength: MAX_NAME });

/** Its size is looked at before anything else is done with it; line breaks become LF. */
const source = (field: string, maxBytes: number, size: string) =>
  noNul(field)(z.string())
    .refine((text) => text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes, {
      message: `${field} must be at most ${size}`,
    })
    .refine((text) => text.length > maxBytes || text.trim() !== '', { message: `${field} must not be empty` })
    .transform((text) => wellFormed(text.replaceAll('\r\n', '\n')))
    .meta({ description: `At most ${size}.` });

const email = z.string().meta({ format: 'email', description: 'Trimmed and lower-cased.' });
const sender = z
  .strictObject({ email, name: z.string().nullish().meta({ maxLength: MAX_SENDER_NAME }) })
  .nullish()
  .meta({ description: 'On a domain of the account that may send. `null` clears sender and reply-to.' });
const replyTo = z
  .strictObject({ email, name: z.string().nullish() })
  .nullish()
  .meta({ description: 'Needs a sender and has no name. `null` clears it.' });

const content = z
  .strictObject({
    mjml: source('content.mjml', MAX_DESIGN_BYTES, '1 MiB').nullish(),
    html: source('content.html', MAX_DESIGN_BYTES, '1 MiB').nullish(),
    text: source('content.text', MAX_TEXT_BYTES, '256 KiB').nullish(),
    text_is_custom: z.unknown().optional().meta({ description: 'Ignored: what is read can be sent back.' }),
  })
  .refine((body) => isNone(body.mjml) || isNone(body.html), {
    message: 'content must have either mjml or html, not both',
  })
  .refine((body) => !isNone(body.mjml) || !isNone(body.html) || body.text !== undefined, {
    message: 'content must have mjml, html or text',
  })
  .meta({
    description:
      'One of `mjml` and `html`, or `text`, or one of the former with it. `text: null` makes the text from the HTML.',
  });

const isNone = (value: unknown): boolean => value === null || value === undefined;

const fields = {
  subject: line('subject', MAX_SUBJECT).nullish().meta({ description: '`null` or `""` clears it.' }),
  preheader: line('preheader', MAX_PREHEADER).nullish().meta({ description: '`null` or `""` clears it.' }),
  from: sender,
  reply_to: replyTo,
  content: content.optional(),
  publish: z.boolean().nullish().meta({ description: 'Publish after writing.' }),
};

const editor = z.enum(['advanced', 'simple', 'html']);

/** `POST …/templates`, in the order in which its fields are judged (spec 2-messages §6.3). */
export const CreateTemplateBody = z.object({
  name,
  editor: editor.nullish().meta({ description: 'Follows from the content where that has mjml or html.' }),
  ...fields,
});
export type CreateTemplateBody = z.infer<typeof CreateTemplateBody>;

export const UpdateTemplateBody = z.object({ name: name.optional(), ...fields });
export type UpdateTemplateBody = z.infer<typeof UpdateTemplateBody>;

export const RestoreBody = z.object({ publish: z.boolean().nullish() });
export type RestoreBody = z.infer<typeof RestoreBody>;

export type ContentInput = z.infer<typeof content>;

export const READ_ONLY_FIELDS = [
  'object',
  'id',
  'template_id',
  'created_at',
  'updated_at',
  'variables',
  'has_draft',
] as const;

const Address = z.object({ email: z.string(), name: z.string() });

const TemplateVariableResource = z
  .object({ name: z.string(), required: z.boolean() })
  .meta({ id: 'TemplateVariable', description: 'A value that the design asks of each recipient.' });

const TemplateContent = z
  .object({
    mjml: z.string().optional().meta({ description: 'Of the editor `advanced`.' }),
    html: z.string().optional().meta({ description: 'Of the editors `html` and `simple`.' }),
    text: z.string().optional(),
    text_is_custom: z
      .boolean()
      .meta({ description: 'false: made from the HTML, and again with each design.' }),
  })
  .meta({ id: 'TemplateContent', description: 'The body. What does not apply or is empty is left out.' });

const copyShape = {
  subject: z.string(),
  preheader: z.string(),
  variables: z.array(TemplateVariableResource),
  from: Address.nullable().meta({ description: 'The default sender; null: each send needs `from`.' }),
  reply_to: Address.nullable(),
};
const nullableContent = TemplateContent.nullable().meta({ description: 'null: there is no body.' });

const TemplateListItem = z
  .object({
    object: z.literal('template'),
    id: z.uuid(),
    created_at: Timestamp,
    updated_at: Timestamp.meta({ description: 'Last change of the name or of the published copy.' }),
    name: z.string(),
    ...copyShape,
    editor,
    has_draft: z.boolean(),
  })
  .meta({ id: 'TemplateListItem', description: 'A template without its body.' });
export type TemplateListItem = z.infer<typeof TemplateListItem>;

/** The published copy (spec 2-messages §6.1). */
export const TemplateResource = TemplateListItem.extend({ content: nullableContent }).meta({
  id: 'Template',
  description: 'A transactional template, as it is published.',
});
export type TemplateResource = z.infer<typeof TemplateResource>;

export const TemplatePage = pageOf(TemplateListItem);

export const TemplateDraftResource = z
  .object({
    object: z.literal('template_draft'),
    template_id: z.uuid(),
    updated_at: Timestamp,
    ...copyShape,
    content: nullableContent,
  })
  .meta({ id: 'TemplateDraft', description: 'What is not published yet.' });
export type TemplateDraftResource = z.infer<typeof TemplateDraftResource>;

const TemplateVersionResource = z
  .object({
    object: z.literal('template_version'),
    id: z.uuid(),
    version: z.number().int().min(1),
    published_at: Timestamp,
    published_by: z
      .object({ type: z.enum(['user', 'api_key']), id: z.uuid() })
      .nullable()
      .meta({ description: 'null: not known, or deleted meanwhile.' }),
  })
  .meta({ id: 'TemplateVersion', description: 'A state that was published.' });
type TemplateVersionResource = z.infer<typeof TemplateVersionResource>;

export const TemplateVersionList = listOf(TemplateVersionResource);

export const TemplateVersionDetail = TemplateVersionResource.extend({
  ...copyShape,
  content: nullableContent,
}).meta({ id: 'TemplateVersionDetail', description: 'A state that was published, with all that it held.' });
export type TemplateVersionDetail = z.infer<typeof TemplateVersionDetail>;

type ShownCopy = Pick<TemplateCopy, 'subject' | 'preheader' | 'variables' | 'from' | 'replyTo'>;

const shownCopy = ({ subject, preheader, variables, from, replyTo }: ShownCopy) => ({
  subject,
  preheader,
  variables: variables.map(({ name, required }) => ({ name, required })),
  from: from && { email: from.email, name: from.name },
  reply_to: replyTo === null ? null : { email: replyTo, name: '' },
});

/** MJML stands for the HTML that is compiled from it. */
function shownContent(editor: Template['editor'], copy: CopyFields): z.infer<typeof nullableContent> {
  if (copy.html === null && copy.text === null) return null;
  const design = editor === 'advanced' ? { mjml: copy.mjml ?? undefined } : { html: copy.html ?? undefined };
  return { ...design, text: copy.text || undefined, text_is_custom: copy.textIsCustom };
}

/** @param published undefined: nothing is published */
export const templateListItem = (
  template: Template,
  published: ShownCopy = EMPTY_COPY,
): TemplateListItem => ({
  object: 'template',
  id: template.id,
  created_at: template.createdAt.toISOString(),
  updated_at: template.updatedAt.toISOString(),
  name: template.name,
  ...shownCopy(published),
  editor: template.editor,
  has_draft: template.draftId !== null,
});

export const templateResource = (template: Template, published?: TemplateCopy): TemplateResource => ({
  ...templateListItem(template, published),
  content: shownContent(template.editor, published ?? EMPTY_COPY),
});

export const templateDraftResource = (template: Template, draft: TemplateCopy): TemplateDraftResource => ({
  object: 'template_draft',
  template_id: template.id,
  updated_at: (template.draftAt ?? template.updatedAt).toISOString(),
  ...shownCopy(draft),
  content: shownContent(template.editor, draft),
});

/** @param publishers ids of those that exist still */
export const templateVersionResource = (
  version: TemplateVersion,
  publishers: ReadonlySet<string>,
): TemplateVersionResource => ({
  object: 'template_version',
  id: version.id,
  version: version.version,
  published_at: version.publishedAt.toISOString(),
  published_by: version.publisher && publishers.has(version.publisher.id) ? version.publisher : null,
});

export const templateVersionDetail = (
  { template, version, copy }: { template: Template; version: TemplateVersion; copy: TemplateCopy },
  publishers: ReadonlySet<string>,
): TemplateVersionDetail => ({
  ...templateVersionResource(version, publishers),
  ...shownCopy(copy),
  content: shownContent(template.editor, copy),
});

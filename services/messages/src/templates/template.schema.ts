import { z } from 'zod';
import { Issue, PREVIEW_RECIPIENT, Substitutions } from '@postmesh/messages-contract';
import { listOf, nameField, pageOf, Timestamp } from '@postmesh/contracts';
import {
  ContentInput,
  ContentResource,
  EDITORS,
  PreheaderField,
  shownContent,
  SubjectField,
} from '@postmesh/designs';
import { EMPTY_COPY, type Template, type TemplateCopy, type TemplateVersion } from './template.js';

/** Length of a sender's name, in characters. */
export const MAX_SENDER_NAME = 255;

const name = nameField();
const email = z.string().meta({ format: 'email', description: 'Trimmed and lower-cased.' });
const sender = z
  .strictObject({ email, name: z.string().nullish().meta({ maxLength: MAX_SENDER_NAME }) })
  .nullish()
  .meta({ description: 'On a domain of the account that may send. `null` clears sender and reply-to.' });
const replyTo = z
  .strictObject({ email, name: z.string().nullish() })
  .nullish()
  .meta({ description: 'Needs a sender and has no name. `null` clears it.' });

const fields = {
  subject: SubjectField.nullish().meta({ description: '`null` or `""` clears it.' }),
  preheader: PreheaderField.nullish().meta({ description: '`null` or `""` clears it.' }),
  from: sender,
  reply_to: replyTo,
  content: ContentInput.optional(),
  publish: z.boolean().nullish().meta({ description: 'Publish after writing.' }),
};

const editor = z.enum(EDITORS);

/** `POST …/templates`, in the order in which its fields are checked (spec 2-messages §6.3). */
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

/** `POST …/templates/{id}/preview` (spec 2-messages §6.5). */
export const TemplatePreviewBody = z.object({
  published: z
    .boolean()
    .nullish()
    .meta({ description: 'true: the published copy, also when there is a draft.' }),
  email: z
    .string()
    .nullish()
    .meta({ format: 'idn-email', description: `The recipient; \`${PREVIEW_RECIPIENT}\` when left out.` }),
  substitutions: Substitutions.nullish().meta({ description: 'Values of variables: any JSON.' }),
});
export type TemplatePreviewBody = z.infer<typeof TemplatePreviewBody>;

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

const copyShape = {
  subject: z.string(),
  preheader: z.string(),
  variables: z.array(TemplateVariableResource),
  from: Address.nullable().meta({ description: 'The default sender; null: each send needs `from`.' }),
  reply_to: Address.nullable(),
};
const nullableContent = ContentResource.nullable().meta({ description: 'null: there is no body.' });

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
    issues: z
      .array(Issue)
      .meta({ description: 'The problems that keep it from being published, or a send from relying on it.' }),
  })
  .meta({ id: 'TemplateDraft', description: 'The draft, which is not published yet.' });
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

export const templateDraftResource = (
  template: Template,
  draft: TemplateCopy,
  issues: Issue[],
): TemplateDraftResource => ({
  object: 'template_draft',
  template_id: template.id,
  updated_at: (template.draftAt ?? template.updatedAt).toISOString(),
  ...shownCopy(draft),
  content: shownContent(template.editor, draft),
  issues,
});

/** @param publishers ids of the existing publishers */
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

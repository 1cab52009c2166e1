import { z } from 'zod';
import { isBlank, LENIENT, lineField, storableText, wellFormed } from '@postmesh/contracts';
import { hasBody, type DesignBody, type Editor } from '../design.js';

const MiB = 1024 * 1024;
/** Maximum size of MJML and of HTML, in bytes. */
export const MAX_DESIGN_BYTES = MiB;
const MAX_TEXT_BYTES = 256 * 1024;

/** The size is checked first; line breaks become LF. */
const sourceField = (field: string, maxBytes: number, size: string) =>
  storableText(field)
    .refine((text) => text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes, {
      message: `${field} must be at most ${size}`,
    })
    .refine((text) => text.length > maxBytes || !isBlank(text), { message: `${field} must not be empty` })
    .transform((text) => wellFormed(text.replaceAll('\r\n', '\n')))
    .meta({ description: `At most ${size}.` });

/** The subject of a message in templates and campaigns; `''` means none. */
export const SubjectField = lineField('subject', 998);
export const PreheaderField = lineField('preheader', 500);

const isNone = (value: unknown): boolean => value === null || value === undefined;

/** `content` of a write (spec 2-messages §6.3, spec 3-marketing §5.1): of a template, a campaign, a campaign template. */
export const ContentInput = z
  .strictObject({
    mjml: sourceField('content.mjml', MAX_DESIGN_BYTES, '1 MiB').nullish(),
    html: sourceField('content.html', MAX_DESIGN_BYTES, '1 MiB').nullish(),
    text: sourceField('content.text', MAX_TEXT_BYTES, '256 KiB').nullish(),
    text_is_custom: z
      .unknown()
      .optional()
      .meta({
        ...LENIENT,
        type: ['boolean', 'null'],
        description: 'Ignored: what is read can be sent back.',
      }),
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
export type ContentInput = z.infer<typeof ContentInput>;

/** `content` as it is read (spec 2-messages §6.1, spec 3-marketing §5.1 rule 5). */
export const ContentResource = z
  .object({
    mjml: z.string().optional().meta({ description: 'The source of the editor `advanced`.' }),
    html: z.string().optional().meta({ description: 'The source of the editors `html` and `simple`.' }),
    text: z.string().optional(),
    text_is_custom: z
      .boolean()
      .meta({ description: 'false: made from the HTML, and again with each design.' }),
  })
  .meta({ id: 'TemplateContent', description: 'The body. What does not apply or is empty is left out.' });
export type ContentResource = z.infer<typeof ContentResource>;

/** HTML that was compiled from MJML is not shown. @returns null without HTML and text */
export function shownContent(editor: Editor | null, body: DesignBody): ContentResource | null {
  if (editor === null || !hasBody(body)) return null;
  const design = editor === 'advanced' ? { mjml: body.mjml ?? undefined } : { html: body.html ?? undefined };
  return { ...design, text: body.text || undefined, text_is_custom: body.textIsCustom };
}

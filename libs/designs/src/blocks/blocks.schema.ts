import { z } from 'zod';
import { storableText } from '@postmesh/contracts';
import { MAX_DESIGN_BYTES } from '../content/content-fields.js';

const MAX_BLOCKS = 200;
const MAX_TEXT = 20_000;
const MAX_LINE = 500;
const MAX_URL = 2_000;

const longText = (field: string) => storableText(field).max(MAX_TEXT);
const line = (field: string) => storableText(field).max(MAX_LINE);
/** One expression of a template as the whole URL. */
const EXPRESSION = /^\{\{[^{}]*\}\}$/;

/** `''` while it is not set. */
const url = (field: string, schemes: RegExp, allowed: string) =>
  storableText(field)
    .trim()
    .max(MAX_URL)
    .refine((text) => text === '' || schemes.test(text) || EXPRESSION.test(text), {
      message: `${field} must begin with ${allowed}, or be one {{ variable }}`,
    });
const LINK = /^(?:https?:\/\/|mailto:|tel:)\S/i;
const link = url('url', LINK, 'https://, http://, mailto: or tel:');

export const isLink = (text: string): boolean => LINK.test(text) || EXPRESSION.test(text);

const color = z.string().regex(/^#[0-9a-f]{6}$/i, 'a color must be # and six hexadecimal digits');
const align = z.enum(['left', 'center', 'right']);
const MARKUP = 'With `**bold**`, `*italic*` and `[label](https://…)`; an empty line begins a paragraph.';

/** A block; one that lacks its text or URL is left out of the message. */
const Block = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('heading'),
    text: line('text'),
    size: z.enum(['large', 'medium', 'small']),
    align,
  }),
  z.strictObject({
    kind: z.literal('text'),
    text: longText('text').meta({ description: MARKUP }),
    align,
  }),
  z.strictObject({ kind: z.literal('button'), label: line('label'), url: link, align }),
  z.strictObject({
    kind: z.literal('image'),
    url: url('url', /^https:\/\/\S/i, 'https://').meta({ description: 'Where the image is.' }),
    alt: line('alt').meta({ description: 'Shown and read while the image is not.' }),
    link,
    width: z.enum(['full', 'half', 'small']),
  }),
  z.strictObject({ kind: z.literal('divider') }),
  z.strictObject({ kind: z.literal('space'), size: z.enum(['small', 'medium', 'large']) }),
  z.strictObject({ kind: z.literal('footer'), text: longText('text').meta({ description: MARKUP }) }),
]);
export type Block = z.infer<typeof Block>;

/** A design of blocks as the console edits it: what `design` of the editor `simple` holds (decision 126). */
export const BlockDesign = z
  .strictObject({
    version: z.literal(1),
    style: z.strictObject({
      accent: color.meta({ description: 'The colour of buttons and links.' }),
      background: color.meta({ description: 'The colour around the message.' }),
      font: z.enum(['sans', 'serif', 'mono']),
    }),
    blocks: z.array(Block).max(MAX_BLOCKS),
  })
  .refine((design) => Buffer.byteLength(JSON.stringify(design)) <= MAX_DESIGN_BYTES, {
    message: 'blocks must be at most 1 MiB of JSON',
  })
  .meta({
    id: 'BlockDesign',
    description: 'Blocks, from the top of the message to its end.',
    examples: [
      {
        version: 1,
        style: { accent: '#2563eb', background: '#f3f4f6', font: 'sans' },
        blocks: [
          { kind: 'heading', text: 'News of June', size: 'large', align: 'left' },
          { kind: 'text', text: 'Hello {{ name|default("there") }},', align: 'left' },
          { kind: 'button', label: 'Read on', url: 'https://shop.example/june', align: 'center' },
          { kind: 'footer', text: '[Unsubscribe]({{ unsubscribe_url }})' },
        ],
      },
    ],
  });
export type BlockDesign = z.infer<typeof BlockDesign>;

/** @returns null for a design of another editor, whose JSON only that editor understands */
export const blockDesignOf = (design: unknown): BlockDesign | null =>
  BlockDesign.safeParse(design).data ?? null;

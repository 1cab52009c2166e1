import { z } from 'zod';
import {
  ApiError,
  ApiErrors,
  isBlank,
  isLongerThan,
  lineField,
  nameField,
  storableText,
  Timestamp,
  trimText,
  wellFormed,
} from '@postmesh/contracts';

import { FormAttributes, ShownFormAttributes } from './form-attribute.schema.js';

/** Most forms of an account. */
export const MAX_FORMS = 50;

/** The fields that a form may ask for, in addition to the address. */
const FORM_FIELDS = ['first_name', 'last_name'] as const;
export type FormField = (typeof FORM_FIELDS)[number];

const line = (field: string, max: number) =>
  lineField(field, max).refine((text) => text !== '', { message: `${field} must not be empty` });

const paragraphs = (field: string, max: number) =>
  storableText(field)
    .refine((text) => !isLongerThan(trimText(text), max), {
      message: `${field} must be at most ${max} characters`,
    })
    .transform((text) => wellFormed(trimText(text).replaceAll(/\r\n?/g, '\n')))
    .meta({ maxLength: max });
const filled = (field: string, max: number) =>
  paragraphs(field, max).refine((text) => !isBlank(text), { message: `${field} must not be empty` });

/** The words of the pages and of the confirmation mail. */
export const FormTexts = z.object({
  title: line('title', 100),
  intro: paragraphs('intro', 1_000),
  button: line('button', 60),
  consent: filled('consent', 1_000).meta({
    description:
      'The words that people agree to. A change is a new version; each consent keeps the one that it was given to.',
  }),
  thanks: filled('thanks', 500).meta({ description: 'After the form was sent, the same for every address.' }),
  confirmed: filled('confirmed', 500).meta({ description: 'After the address was confirmed.' }),
  mail_subject: line('mail_subject', 200),
  mail_text: filled('mail_text', 2_000).meta({ description: 'Paragraphs, before the button of the mail.' }),
  mail_button: line('mail_button', 60),
});
export type FormTexts = z.infer<typeof FormTexts>;

const welcome = z
  .object({
    template_id: z.uuid().meta({ description: 'A campaign template.' }),
    subject: line('subject', 200),
  })
  .nullable()
  .meta({ description: 'A mail after the confirmation; null: none.' });

/** Body of a new form and of a change, which replaces all fields. */
export const SignUpFormBody = z.object({
  name: nameField(),
  list_id: z.uuid(),
  is_open: z.boolean().meta({ description: 'A closed form takes no sign-ups; links in mails keep working.' }),
  fields: z
    .array(z.enum(FORM_FIELDS))
    .max(FORM_FIELDS.length)
    .refine((given) => new Set(given).size === given.length, { message: 'fields must not be repeated' }),
  attributes: FormAttributes.default([]).meta({ description: 'In the order of the form, after the names.' }),
  texts: FormTexts,
  accent: z
    .string()
    .regex(/^#[0-9a-f]{6}$/, 'accent must be a color such as #1d4fc4')
    .meta({ description: 'The color of the button.' }),
  from: z.object({ email: z.string().max(320), name: lineField('name', 255) }),
  welcome,
});
export type SignUpFormBody = z.infer<typeof SignUpFormBody>;

export const SignUpFormResource = z
  .object({
    object: z.literal('sign_up_form'),
    id: z.uuid(),
    created_at: Timestamp,
    updated_at: Timestamp,
    name: z.string(),
    list_id: z.uuid(),
    list_name: z.string().nullable().meta({ description: 'Null: the list is deleted, the form is closed.' }),
    is_open: z.boolean(),
    fields: z.array(z.enum(FORM_FIELDS)),
    attributes: ShownFormAttributes,
    texts: FormTexts,
    text_version: z.number().int(),
    accent: z.string(),
    from: z.object({ email: z.string(), name: z.string() }),
    welcome,
    url: z.url().meta({ description: 'The hosted page; a page of yours can show it in a frame.' }),
    waiting: z.number().int().meta({ description: 'Sign-ups that are not confirmed, 10,000 at most.' }),
    confirmed: z
      .number()
      .int()
      .meta({ description: 'Sign-ups that were confirmed in the last week, 10,000 at most.' }),
  })
  .meta({ id: 'SignUpForm', description: 'A form by which people join a list.' });
export type SignUpFormResource = z.infer<typeof SignUpFormResource>;

export const SignUpFormList = z.object({ object: z.literal('list'), data: z.array(SignUpFormResource) });

/** Body of a double opt-in: the address gets the confirmation mail of the form. */
export const SignUpBody = z.object({
  email: z.string().max(320),
  first_name: lineField('first_name', 255).optional(),
  last_name: lineField('last_name', 255).optional(),
});
export type SignUpBody = z.infer<typeof SignUpBody>;

export const SignUpResource = z.object({
  object: z.literal('sign_up'),
  email: z.string(),
  outcome: z.enum(['asked', 'asked_already', 'member', 'complained']).meta({
    description:
      'The confirmation mail is on its way; it was sent within the last hour; the address is on the list; it reported the list as spam.',
  }),
});
export type SignUpResource = z.infer<typeof SignUpResource>;

export const FormErrors = {
  notFound: () => ApiErrors.notFound('sign-up form'),
  tooMany: () => new ApiError(409, `an account has at most ${MAX_FORMS} sign-up forms`),
  closed: () => new ApiError(409, 'the list of this form is deleted'),
  noTemplate: () => new ApiError(400, 'welcome.template_id is no campaign template of this account'),
  noAttribute: (key: string) => new ApiError(400, `unknown attribute "${key}"`),
  notAsked: (key: string) =>
    new ApiError(400, `attribute "${key}" is a timestamp, which a form does not ask for`),
  noOptions: (key: string) => new ApiError(400, `attribute "${key}" is no text, and has no options`),
  badAddress: () => new ApiError(400, 'email is not a valid address'),
} as const;

import { z } from 'zod';
import { JsonTooLarge, parseBoundedJson, withExactNumbers } from '@postmesh/contracts';
import { isAsked } from './form-attributes.rules.js';
import type { SignUpForm } from './sign-up-forms.js';
import { FIELD } from './sign-up-pages.js';

export const isJson = (type: string | undefined): boolean =>
  /^application\/json[ \t]*(;|,|$)/i.test(type ?? '');

/** The words for a page of the account's own, and the time, which it sends back. */
export const jsonForm = ({ texts, fields, attributes }: SignUpForm, time: string): object => ({
  object: 'sign_up_form',
  title: texts.title,
  intro: texts.intro,
  button: texts.button,
  consent: texts.consent,
  fields,
  attributes: attributes.filter(isAsked),
  [FIELD.time]: time,
});

const Body = z.strictObject({
  email: z.string({ error: 'email must be a text' }),
  first_name: z.string({ error: 'first_name must be a text' }).optional(),
  last_name: z.string({ error: 'last_name must be a text' }).optional(),
  attributes: z.record(z.string(), z.unknown(), { error: 'attributes must be an object' }).default({}),
  consent: z.boolean({ error: 'consent must be true or false' }),
  t: z.string({ error: 't must be a text' }),
  website: z.string({ error: 'website must be a text' }).optional(),
});

/** The fields as those of the page, and the values of attributes. */
export interface JsonFields {
  readonly fields: ReadonlyMap<string, string>;
  readonly answers: Readonly<Record<string, unknown>>;
}

/** @returns the reason for which they are none as text */
export function readJsonFields(bytes: unknown, { fields }: Pick<SignUpForm, 'fields'>): JsonFields | string {
  const given = Body.safeParse(parsed(bytes));
  if (!given.success) {
    const [issue] = given.error.issues;
    if (issue?.code === 'unrecognized_keys') return `unknown field: ${issue.keys[0] ?? ''}`;
    return issue && issue.path.length > 0 ? issue.message : 'the body must be a JSON object';
  }
  const { consent, attributes: answers, ...texts } = given.data;
  const unasked = (['first_name', 'last_name'] as const).find(
    (name) => texts[name] !== undefined && !fields.includes(name),
  );
  if (unasked !== undefined) return `unknown field: ${unasked}`;
  const all = new Map([...Object.entries(texts), ...(consent ? [[FIELD.consent, '1'] as const] : [])]);
  return { fields: all, answers };
}

function parsed(bytes: unknown): unknown {
  try {
    if (!Buffer.isBuffer(bytes)) return undefined;
    return withExactNumbers(parseBoundedJson(bytes), () => bytes.toString(), ['attributes']);
  } catch (error) {
    if (error instanceof JsonTooLarge || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

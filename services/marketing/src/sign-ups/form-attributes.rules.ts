import { hash } from 'node:crypto';
import { ApiError, isLongerThan } from '@postmesh/contracts';
import {
  attributeOfText,
  readNewAttributes,
  type AttributeTypes,
} from '../contacts/attributes/attribute.rules.js';
import { MAX_ANSWER, type FormAttribute } from './form-attribute.schema.js';

/** An attribute that a form asks for. Null: its definition was deleted, and nothing is asked. */
export interface KnownAttribute extends FormAttribute {
  readonly type: 'string' | 'number' | 'boolean' | 'date' | null;
}
export interface AskedAttribute extends KnownAttribute {
  readonly type: NonNullable<KnownAttribute['type']>;
}

export const isAsked = (one: KnownAttribute): one is AskedAttribute => one.type !== null;

/** An answer that is not taken. */
export interface AnswerFault {
  readonly label: string;
  /** for programs */
  readonly message: string;
  readonly isMissing: boolean;
}

/** Names of fields of the page: no key of an attribute has a dot. */
export const FIELD_OF = 'attributes.';

/** The answers of a page, as values of their types. An empty field is no answer. */
export function answersOf(
  asked: readonly AskedAttribute[],
  given: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const answers = asked.map(
    ({ key, type }) => [key, type, (given.get(FIELD_OF + key) ?? '').trim()] as const,
  );
  return Object.fromEntries(
    answers.flatMap(([key, type, text]) => (text === '' ? [] : [[key, attributeOfText(type, text)]])),
  );
}

/** Values by the definitions of the account, as those of a contact (spec 3-marketing §1.2). */
export function readAnswers(
  asked: readonly AskedAttribute[],
  given: Readonly<Record<string, unknown>>,
): { readonly values: Record<string, unknown> } | AnswerFault {
  const missing = asked.find(({ key, required }) => required && isEmpty(given[key]));
  if (missing) {
    const message = `attribute "${missing.key}" is required`;
    return { label: missing.label, message, isMissing: true };
  }
  const types: AttributeTypes = new Map(asked.map(({ key, type }) => [key, type]));
  const values: [string, unknown][] = [];
  for (const [key, value] of Object.entries(given)) {
    const one = asked.find((attribute) => attribute.key === key);
    const fault = (message: string) => ({ label: one?.label ?? key, message, isMissing: false });
    try {
      const { set } = readNewAttributes(types, { [key]: value });
      const problem = one && problemOf(one, set[key]);
      if (problem !== undefined) return fault(problem);
      values.push([key, set[key]]);
    } catch (error) {
      if (error instanceof ApiError) return fault(error.message);
      throw error;
    }
  }
  return { values: Object.fromEntries(values) };
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

function problemOf({ key, options }: AskedAttribute, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (isLongerThan(value, MAX_ANSWER)) return `attribute "${key}" must be at most ${MAX_ANSWER} characters`;
  if (options.length === 0 || options.includes(value)) return undefined;
  return `attribute "${key}" must be one of: ${options.join(', ')}`;
}

/** Answers that still are values of attributes of the account: a definition can be deleted meanwhile. */
export function valuesNow(
  types: AttributeTypes,
  stored: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const kept = Object.entries(stored).filter(([key, value]) => {
    try {
      readNewAttributes(types, { [key]: value });
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  });
  return Object.fromEntries(kept);
}

/** The digest of the answers that a page shows, so that no others are confirmed. Empty without answers. */
export const answersDigest = (stored: Readonly<Record<string, unknown>>): string =>
  Object.keys(stored).length === 0 ? '' : hash('sha256', JSON.stringify(stored), 'hex');

/** For people, with the labels of the form. */
export const shownAnswers = (
  attributes: readonly KnownAttribute[],
  stored: Readonly<Record<string, unknown>>,
): { label: string; text: string }[] =>
  Object.entries(stored).map(([key, value]) => ({
    label: attributes.find((one) => one.key === key)?.label ?? key,
    text: typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value),
  }));

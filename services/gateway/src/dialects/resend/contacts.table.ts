import { FieldError, listOf, refused, required, supported, type FieldTable } from '../fields.js';
import { flag, objectOf, text } from '../readers.js';

/** Their SDKs repeat what the path says. */
const ofPath = (what: string) =>
  supported(`the ${what} of the path`, (value, name) => ({ [name]: text(value, name) }));

const name = supported('`name` of the list', (value, field) => ({ name: text(value, field) }));

/** A segment, an audience before, is one of our lists. */
export const SEGMENT: FieldTable = { name: required(name) };

const NAMES: FieldTable = {
  first_name: supported('`first_name`; an empty text clears it', (value, field) => ({
    first_name: text(value, field),
  })),
  last_name: supported('`last_name`; an empty text clears it', (value, field) => ({
    last_name: text(value, field),
  })),
  unsubscribed: supported('`unsubscribed`, from all lists', (value, field) => ({
    unsubscribed: flag(value, field),
  })),
  properties: supported('`attributes`, by the keys that are defined for the account', (value, field) => ({
    attributes: objectOf(value, field),
  })),
};

const email = required(supported('`email`', (value, field) => ({ email: text(value, field) })));

const SEGMENT_OF_CONTACT: FieldTable = {
  id: required(supported('the id of a list', (value, field) => ({ id: text(value, field) }))),
};

/** A contact has few lists at once: each is one more call. */
const MAX_SEGMENTS = 20;

/** The fields of `POST /contacts`. */
export const NEW_CONTACT: FieldTable = {
  email,
  ...NAMES,
  segments: listOf(`up to ${MAX_SEGMENTS} lists that get the contact`, SEGMENT_OF_CONTACT, (found, field) => {
    if (found.length > MAX_SEGMENTS) throw new FieldError(field, `must have at most ${MAX_SEGMENTS} items`);
    return { segments: found.map(({ id }) => String(id)) };
  }),
  topics: refused('there are no topics'),
  audience_id: refused('give it in the path, or as `segments`'),
};

/** The fields of `POST /audiences/{audience_id}/contacts`. */
export const NEW_MEMBER: FieldTable = { email, ...NAMES, audience_id: ofPath('audience') };

/** The fields of a change. */
export const CONTACT_CHANGE: FieldTable = {
  ...NAMES,
  id: ofPath('contact'),
  email: ofPath('contact'),
  audience_id: ofPath('audience'),
};

/** @throws FieldError where a body names another audience than the path */
export function requireAudience(
  given: unknown,
  { audience_id: list }: Readonly<Record<string, string>>,
): void {
  if (given !== undefined && given !== list) throw new FieldError('audience_id', 'must be that of the path');
}

/**
 * Leaves out the fields that repeat the path.
 * @throws FieldError where they say something else
 */
export function withoutPath(
  { audience_id: audience, id, email: address, ...fields }: Record<string, unknown>,
  params: Readonly<Record<string, string>>,
): Record<string, unknown> {
  requireAudience(audience, params);
  const names: unknown[] = [id, address].filter((given) => given !== undefined);
  if (names.length > 0 && !names.includes(params['contact']))
    throw new FieldError(id === undefined ? 'email' : 'id', 'must be that of the path');
  if (id !== undefined && address !== undefined)
    throw new FieldError('email', 'is not supported: the address of a contact stays');
  return fields;
}

import type { Call } from './dialect.js';
import { FieldError, type Fragment } from './fields.js';

/** A template with the values of its one recipient. */
export interface TemplateOf {
  readonly template_id?: unknown;
  readonly substitutions?: unknown;
}

/**
 * The call for one message to visible recipients, or for a template. The template send makes one message for each
 * recipient, so only one that no other could see has the same meaning.
 * @param fragment a body of a conversation
 * @param names of the fields of recipients in the dialect
 * @throws FieldError
 */
export function sendOf(
  fragment: Fragment,
  template: TemplateOf | undefined,
  names: { readonly to: string; readonly cc: string; readonly bcc: string },
): Call {
  if (!template) return { operation: 'messages.send-conversation', body: () => fragment };
  const { to, cc, bcc, ...rest } = fragment;
  const copies = cc === undefined ? (bcc === undefined ? undefined : names.bcc) : names.cc;
  if (copies !== undefined)
    throw new FieldError(copies, 'is not supported together with a template: each recipient gets a message');
  const recipients = (to ?? []) as object[];
  if (recipients.length > 1)
    throw new FieldError(names.to, 'must be one address with a template: each recipient gets a message');
  const { template_id, substitutions } = template;
  const each = recipients.map((one) => ({ ...one, ...(substitutions ? { substitutions } : {}) }));
  return { operation: 'messages.send-template', body: () => ({ ...rest, template_id, recipients: each }) };
}

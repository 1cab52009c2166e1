import { messageUuidOf } from '../answers.js';
import type { Call, DialectRoute, Plan, Result } from '../dialect.js';
import { FieldError, merge, type Fragment } from '../fields.js';
import { requireCopies, requireReplaceable, withReplaced, type Placeholders } from '../literal.js';
import { sendOf } from '../template-send.js';
import { MAIL, readMail } from './mail.table.js';

const MAX_PERSONALIZATIONS = 1_000;

const NOTHING: Placeholders = new Map();

interface Personalization extends Fragment {
  readonly placeholders?: Placeholders;
  readonly data?: object;
}

/** Values of a personalization replace those of the whole, header by header; tags add to them. */
function messageOf(common: Fragment, own: Fragment): Fragment {
  const { headers: commonHeaders = [], ...rest } = common;
  const named = new Set(
    (own['headers'] as { name: string }[] | undefined)?.map(({ name }) => name.toLowerCase()),
  );
  const kept = (commonHeaders as { name: string }[]).filter(({ name }) => !named.has(name.toLowerCase()));
  return merge({ ...rest, ...(kept.length > 0 && { headers: kept }) }, own);
}

function callOf(
  common: Fragment,
  { placeholders = NOTHING, data, ...own }: Personalization,
  at: number,
): Call {
  const name = (field: string) => `personalizations[${at}].${field}`;
  const { template_id, ...rest } = common;
  if (template_id === undefined && data)
    throw new FieldError(name('dynamic_template_data'), 'is not supported without template_id');
  if (template_id !== undefined && placeholders.size > 0)
    throw new FieldError(name('substitutions'), 'is not supported together with template_id');
  const template = template_id === undefined ? undefined : { template_id, substitutions: data };
  const names = { to: name('to'), cc: name('cc'), bcc: name('bcc') };
  const message = messageOf(rest, own);
  if (placeholders.size === 0) return sendOf(message, template, names);
  requireReplaceable(name('substitutions'), message, placeholders);
  return { ...sendOf(message, template, names), body: () => withReplaced(message, placeholders) };
}

function callsOf(body: unknown): { calls: Call[]; isSandbox: boolean } {
  const { personalizations, ...common } = readMail(body);
  const each = personalizations as Personalization[];
  if (each.length === 0) throw new FieldError('personalizations', 'must have at least one item');
  if (each.length > MAX_PERSONALIZATIONS)
    throw new FieldError('personalizations', `must have at most ${MAX_PERSONALIZATIONS} items`);
  requireCopies('personalizations', common, each.length);
  return {
    calls: each.map((own, at) => callOf(common, own, at)),
    isSandbox: common['sandbox'] === true,
  };
}

export const MAIL_ROUTES: Readonly<Record<string, DialectRoute>> = {
  'mail.send': {
    method: 'POST',
    path: '/v3/mail/send',
    what: 'Send messages',
    becomes: `up to ${MAX_PERSONALIZATIONS} sends, one for each personalization`,
    fields: MAIL,
    accepts: 'json',
    plan: ({ body }): Plan => {
      const { calls, isSandbox } = callsOf(body);
      return {
        calls,
        answer: (results) => ({
          status: isSandbox ? 200 : 202,
          bytes: Buffer.alloc(0),
          headers: { 'x-message-id': messageUuidOf(results[0] as Result) },
        }),
      };
    },
  },
};

import { ApiError, apiResponse } from '@postmesh/contracts';
import { messageUuidOf } from '../answers.js';
import type { Call, DialectRoute, Plan, Result } from '../dialect.js';
import { translate, type Fragment } from '../fields.js';
import { sendOf } from '../template-send.js';
import { BATCH_OF_TEMPLATES, EMAIL, TEMPLATED_EMAIL } from './email.table.js';
import { codeOf } from './postmark-errors.table.js';

const MAX_BATCH = 500;

const RECIPIENTS = { to: 'To', cc: 'Cc', bcc: 'Bcc' };

type Translate = (given: unknown) => Call;

const emailOf: Translate = (given) => sendOf(translate(EMAIL, given), undefined, RECIPIENTS);

const templatedOf: Translate = (given) => {
  const { template_id, substitutions, ...fragment } = translate(TEMPLATED_EMAIL, given);
  return sendOf(fragment, { template_id, substitutions }, RECIPIENTS);
};

/** Their response repeats the recipients as they were given. */
function accepted(given: unknown, result: Result): object {
  const { To, Cc, Bcc } = given as Fragment;
  return {
    ...(To !== undefined && { To }),
    ...(Cc !== undefined && { Cc }),
    ...(Bcc !== undefined && { Bcc }),
    SubmittedAt: new Date().toISOString(),
    MessageID: messageUuidOf(result),
    ErrorCode: 0,
    Message: 'OK',
  };
}

const one = (given: unknown, translated: Translate): Plan => ({
  calls: [translated(given)],
  answer: (results) => apiResponse(200, accepted(given, results[0] as Result)),
});

function orError<T>(make: () => T): T | ApiError {
  try {
    return make();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function batch(given: unknown, translated: Translate): Plan {
  if (!Array.isArray(given)) throw new ApiError(400, 'invalid request body: an array of emails is expected');
  if (given.length > MAX_BATCH) throw new ApiError(413, `a batch may have at most ${MAX_BATCH} emails`);
  return {
    items: given.map((item: unknown) => orError(() => translated(item))),
    answer: (outcomes) =>
      apiResponse(
        200,
        outcomes.map((outcome, at) => {
          const made = outcome instanceof ApiError ? outcome : orError(() => accepted(given[at], outcome));
          return made instanceof ApiError ? { ErrorCode: codeOf(made)[1], Message: made.message } : made;
        }),
      ),
  };
}

export const EMAIL_ROUTES: Readonly<Record<string, DialectRoute>> = {
  'email.send': {
    method: 'POST',
    path: '/email',
    what: 'Send an email',
    becomes: '`POST …/messages/conversation`',
    fields: EMAIL,
    accepts: 'json',
    plan: ({ body }): Plan => one(body, emailOf),
  },
  'email.batch': {
    method: 'POST',
    path: '/email/batch',
    what: 'Send a batch',
    becomes: `up to ${MAX_BATCH} such sends, each with its own result`,
    fields: EMAIL,
    list: { isEachAlone: true },
    accepts: 'json',
    plan: ({ body }): Plan => batch(body, emailOf),
  },
  'email.with-template': {
    method: 'POST',
    path: '/email/withTemplate',
    what: 'Send a template',
    becomes: '`POST …/messages/template`',
    fields: TEMPLATED_EMAIL,
    accepts: 'json',
    plan: ({ body }): Plan => one(body, templatedOf),
  },
  'email.batch-with-templates': {
    method: 'POST',
    path: '/email/batchWithTemplates',
    what: 'Send a batch of templates',
    becomes: `\`Messages\`: up to ${MAX_BATCH} such sends, each with its own result`,
    fields: TEMPLATED_EMAIL,
    list: { at: 'Messages', isEachAlone: true },
    accepts: 'json',
    plan: ({ body }): Plan => batch(translate(BATCH_OF_TEMPLATES, body)['items'], templatedOf),
  },
};

// Who did what.
import { PAGE_OPTIONS, queryOf, readTime } from './requests.mjs';

export const AUDIT_COMMANDS = {
  audit: {
    help: 'who did what and when, newest first',
    about:
      'Deeds of operators and of API keys. `status` in the details of an operator’s request to a service is how it was answered; null = not known.',
    options: {
      account: { value: '<account id>', help: 'what was done to it' },
      actor: { value: '<who>', help: 'the name of an operator, the id of an API key, or system' },
      action: { value: '<action>', help: 'such as account.block; account.* = whatever begins so' },
      since: { value: '<time>', help: '2026-01-31, 2026-01-31T08:00:00Z, or 30m, 24h, 7d ago' },
      until: { value: '<time>', help: 'the same; up to, but without it' },
      ...PAGE_OPTIONS,
    },
    examples: ['audit --since 24h', 'audit --actor oncall --action account.*'],
    most: 0,
    request: (_, { account, actor, action, since, until, limit, after }) => ({
      path: `/operator/accounts/audit${queryOf({
        account_id: account,
        actor,
        action,
        since: readTime(since),
        until: readTime(until),
        limit,
        after,
      })}`,
    }),
    tables: { data: ['at', 'actor', 'action', 'account_id', 'subject_id', 'details'] },
  },
};

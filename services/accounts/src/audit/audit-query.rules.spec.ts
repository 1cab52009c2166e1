import { describe, expect, it } from 'vitest';
import { auditEntries } from './audit-query.rules.js';

const ALL = 'select id, at as created_at from audit_entries';
const ID = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';
const time = '2026-01-05T08:00:00Z';

describe('queries of the audit', () => {
  it.each([
    [{}, '', []],
    [{ limit: '7' }, '', []],
    [{ account_id: ID.toUpperCase() }, ' where account_id = $1::uuid', [ID]],
    [{ actor: 'oncall' }, ' where actor_id = $1', ['oncall']],
    [{ actor: 'operator oncall' }, ' where actor_id = $1', ['oncall']],
    [{ actor: `api-key ${ID}` }, ' where actor_id = $1', [ID]],
    [{ actor: 'system' }, ` where actor_kind = 'system'`, []],
    [
      { actor: 'operator' },
      ` where actor_kind = 'operator' and (actor_id is null or actor_id = 'operator')`,
      [],
    ],
    [{ action: 'account.block' }, ' where action = $1', ['account.block']],
    [{ action: 'account.*' }, ' where starts_with(action, $1)', ['account.']],
    [{ since: time, until: time }, ' where at >= $1::timestamptz and at < $2::timestamptz', [time, time]],
    [
      { until: time, action: 'x', account_id: ID, actor: 'oncall' },
      ' where account_id = $1::uuid and actor_id = $2 and action = $3 and at < $4::timestamptz',
      [ID, 'oncall', 'x', time],
    ],
  ])('%j', (query, where, parameters) => {
    expect(auditEntries(query)).toEqual({ text: ALL + where, parameters });
  });

  it.each([
    [{ account_id: 'x' }, 'invalid account_id'],
    [{ account_id: [ID, ID] }, 'invalid account_id'],
    [{ actor: '' }, 'actor must be 1 to 200 characters'],
    [{ action: 'x'.repeat(201) }, 'action must be 1 to 200 characters'],
    [{ actor: 'a\u0000' }, 'actor must be 1 to 200 characters'],
    [{ since: 'yesterday' }, 'invalid since, provide a valid RFC3339 time string'],
    [{ until: '2026-01-05' }, 'invalid until, provide a valid RFC3339 time string'],
  ])('%j is refused', (query, message) => {
    expect(() => auditEntries(query)).toThrow(message);
  });
});

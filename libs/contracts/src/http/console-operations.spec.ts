import { expect, it } from 'vitest';
import { ALL_OPERATIONS, needsConfirmation, type OperationId } from './console-operations.js';

it('a passkey is asked for before changes of secrets and members, and before deletions', () => {
  const ids = (Object.keys(ALL_OPERATIONS) as OperationId[]).filter(needsConfirmation);
  expect(ids.filter((id) => !/\.(delete|remove)$/.test(id)).sort()).toEqual([
    'api-keys.create',
    'api-keys.update',
    'dns-hosts.create',
    'dns-hosts.update',
    'members.add',
    'members.update',
    'passkeys.create',
    'ses-credentials.create',
    'smtp-credentials.create',
    'sub-account-api-keys.create',
    'sub-account-api-keys.update',
    'suppressions.wipe',
  ]);
  expect(ids).toEqual(expect.arrayContaining(['domains.delete', 'members.remove', 'passkeys.remove']));
  for (const id of ['session.end', 'sessions.end-all', 'session.confirm', 'messages.cancel'] as const) {
    expect(ids).not.toContain(id);
  }
});

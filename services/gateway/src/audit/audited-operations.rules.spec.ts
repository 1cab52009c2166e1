import { CONSOLE_OPERATIONS, OPERATIONS, type OperationId, type OperationSpec } from '@postmesh/contracts';
import { expect, it } from 'vitest';
import { isAudited } from './audited-operations.rules.js';

const specs: Record<string, OperationSpec> = { ...OPERATIONS, ...CONSOLE_OPERATIONS };
const auditedBy = (caller: 'member' | 'key') =>
  Object.entries(specs)
    .filter(([id, spec]) => isAudited({ ...spec, id: id as OperationId }, caller))
    .map(([id]) => id);

it('keys leave an entry for a change of the configuration, and none for mail, its recipients and tests', () => {
  const byKey = auditedBy('key');
  expect(byKey).toEqual(
    expect.arrayContaining([
      ...['domains.create', 'domains.update', 'domains.delete', 'templates.publish', 'suppressions.delete'],
      ...['suppressions.wipe', 'webhooks.create', 'webhooks.update', 'webhooks.delete', 'routes.delete'],
      ...['lists.create', 'lists.delete', 'campaigns.create', 'campaigns.send', 'campaign-templates.delete'],
    ]),
  );
  const byMember = auditedBy('member');
  expect(byMember.filter((id) => !byKey.includes(id))).toEqual([
    ...['domains.check-dns', 'messages.send', 'messages.send-conversation', 'messages.send-template'],
    ...['messages.cancel', 'suppressions.create', 'webhooks.trigger', 'routes.trigger', 'contacts.create'],
    ...['contacts.update', 'contacts.delete', 'contacts.batch', 'lists.put-contact', 'lists.remove-contact'],
    ...['lists.add-contacts', 'campaigns.test-send'],
  ]);
});

it('a read, and a change that the accounts service audits itself, has no entry of the gateway', () => {
  for (const id of auditedBy('member'))
    expect([specs[id]?.method, specs[id]?.service]).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:GET|accounts)$/)]),
    );
  expect(auditedBy('member')).not.toContain('templates.preview');
});

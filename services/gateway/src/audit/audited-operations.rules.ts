import type { OperationId } from '@postmesh/contracts';
import type { RoutedOperation } from '../http-api/operation-router.js';

export type Audited = Pick<RoutedOperation, 'id' | 'method' | 'service' | 'scope'>;

/** The accounts service audits changes itself, with the values before them. A preview is a POST that reads. */
const isChangeElsewhere = ({ method, service, scope }: Audited): boolean =>
  method !== 'GET' &&
  service !== 'accounts' &&
  !(scope.kind === 'static' && scope.scopes.every((one) => one.endsWith(':read')));

/** Operations of programs all day long: mail, its recipients and tests. Every other change is one of the configuration. */
const DATA: ReadonlySet<OperationId> = new Set<OperationId>([
  'messages.send',
  'messages.send-conversation',
  'messages.send-template',
  'messages.cancel',
  'contacts.create',
  'contacts.update',
  'contacts.delete',
  'contacts.batch',
  'lists.put-contact',
  'lists.remove-contact',
  'lists.add-contacts',
  'suppressions.create',
  'campaigns.test-send',
  'domains.check-dns',
  'webhooks.trigger',
  'routes.trigger',
]);

/** Whether the gateway writes an entry: for members each change, for keys those of the configuration. */
export const isAudited = (operation: Audited, caller: 'member' | 'key'): boolean =>
  isChangeElsewhere(operation) && (caller === 'member' || !DATA.has(operation.id));

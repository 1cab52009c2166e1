import { failureKind } from '@postmesh/contracts';

/**
 * Whether brokers refused for a reason that another try does not meet otherwise: a login, a certificate, a mechanism. To the
 * bus all of this is transient, as settings of a cluster change while it runs; a start ends with it.
 */
export function isRefused(error: unknown): boolean {
  const root = rootOf(error);
  if ('code' in root && typeof root.code === 'string') return failureKind(root) !== 'transient';
  return 'retriable' in root && root.retriable === false;
}

/** The client wraps the error of a connection into one that counts its tries. */
function rootOf(error: unknown): object {
  let root: object = {};
  for (let next = error; typeof next === 'object' && next !== null; next = (next as Error).cause) root = next;
  return root;
}

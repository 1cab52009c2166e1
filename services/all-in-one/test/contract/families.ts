import { randomUUID } from 'node:crypto';
import { unique, uniqueDomain, type Account, type HttpResponse, type Postmesh } from './harness.js';

/** A sub-account as its parent creates it, with a key for all operations. */
export async function newChild(postmesh: Postmesh, parent: Account, given: object = {}): Promise<Account> {
  const name = unique('Child');
  const body = { name, website: uniqueDomain('child'), ...given };
  const made = await postmesh.api(parent.key, 'POST', '{A}/sub-accounts', { body });
  if (made.status !== 201) throw new Error(`${made.status} ${made.bytes.toString()}`);
  const child = { id: made.body.id as string, name: made.body.name as string, ownerEmail: parent.ownerEmail };
  return { ...child, key: await newChildKey(postmesh, parent, child.id) };
}

/** A key of a child as its parent creates it. */
export async function newChildKey(
  postmesh: Postmesh,
  parent: Account,
  childId: string,
  given: object = {},
): Promise<Account['key']> {
  const body = { label: 'Test', scopes: ['*'], ...given };
  const path = `{A}/sub-accounts/${childId}/api-keys`;
  const { status, body: key, bytes } = await postmesh.api(parent.key, 'POST', path, { body });
  if (status !== 201) throw new Error(`${status} ${bytes.toString()}`);
  return { id: key.id, secret: key.secret_key, accountId: key.account_id, publicKey: key.public_key };
}

export interface Message {
  from: string;
  to: readonly string[];
  more?: object;
}

/** @param from a verified domain of the account */
export function sendMessage(
  postmesh: Postmesh,
  account: Account,
  { from, to, more = {} }: Message,
): Promise<HttpResponse> {
  return postmesh.api(account.key, 'POST', '{A}/messages/conversation', {
    body: {
      from: { email: `news@${from}` },
      to: to.map((email) => ({ email })),
      subject: 'Hello',
      text_content: 'Hello',
      ...more,
    },
  });
}

/** Every operation of spec 1-platform §10 on one child; paths below `sub-accounts`. */
export const everyOperation = (child: string): [method: string, rest: string, body?: unknown][] => [
  ['GET', ''],
  ['POST', '', { name: 'Acme', website: 'acme.test' }],
  ['GET', '/usage'],
  ['GET', `/${child}`],
  ['PUT', `/${child}`, { name: 'Other' }],
  ['POST', `/${child}/suspend`, { reason: 'x' }],
  ['POST', `/${child}/unsuspend`],
  ['POST', `/${child}/domains/shop.test/unpause`],
  ['GET', `/${child}/api-keys`],
  ['POST', `/${child}/api-keys`, { label: 'k', scopes: ['lists:read'] }],
  ['GET', `/${child}/api-keys/${randomUUID()}`],
  ['PUT', `/${child}/api-keys/${randomUUID()}`, { label: 'k' }],
  ['DELETE', `/${child}/api-keys/${randomUUID()}`],
  ['DELETE', `/${child}`],
];

/** The operations among them that name the child: each responds 404 for one that does not exist. */
export const everyOperationOn = (child: string) =>
  everyOperation(child).filter(([, rest]) => rest.startsWith(`/${child}`));

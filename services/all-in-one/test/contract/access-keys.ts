import type { sharedInstallation } from './harness.js';
import { send } from './http-request.js';
import type { Sender } from './sends.js';

export interface AccessKey {
  access_key_id: string;
  secret_access_key: string;
}

/** An access key of the sender's API key for signed requests, made by the owner of the account in the console. */
export async function newAccessKey(
  postmesh: ReturnType<typeof sharedInstallation>,
  { account: { key, ownerEmail } }: Sender,
): Promise<AccessKey> {
  const link = await postmesh.operator('POST', '/operator/accounts/sign-in-links', { email: ownerEmail });
  const token = String(link.body.url).split('#')[1];
  const origin = { origin: postmesh.url, 'sec-fetch-site': 'same-origin' };
  const begun = await send({
    method: 'POST',
    url: `${postmesh.url}/console/api/sessions`,
    headers: { ...origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const made = await send({
    method: 'POST',
    url: `${postmesh.url}/console/api/api-keys/${key.id}/ses-credential`,
    headers: { ...origin, cookie: String(begun.headers['set-cookie']).split(';')[0]! },
  });
  if (made.status !== 201) throw new Error(`no access key: ${made.status}`);
  return made.body as AccessKey;
}

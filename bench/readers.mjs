// @ts-check
// Accounts of a stack, and timed reads of them.
import { request } from 'undici';

const HEADERS_TIMEOUT_MS = 120_000;

/** @param {() => Promise<any>} work */
export async function timed(work) {
  const begun = performance.now();
  const result = await work();
  return { result, micros: (performance.now() - begun) * 1_000 };
}

/** @param {string} path below the account @returns {Promise<Buffer>} @throws Error for anything but a 200 */
export async function readAs(stack, { id, key }, path) {
  const { host, port } = stack.address;
  const { statusCode, body } = await request(`http://${host}:${port}/v2/accounts/${id}/${path}`, {
    dispatcher: stack.agent,
    headers: { authorization: `Bearer ${key}` },
    headersTimeout: HEADERS_TIMEOUT_MS,
  });
  const bytes = Buffer.from(await body.arrayBuffer());
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${bytes.toString().slice(0, 300)}`);
  return bytes;
}

/** @returns {Promise<{ id: string, key: string }>} an account with a key of all scopes */
export async function newAccount(stack, name) {
  const account = await operator(stack, '', { name, owner_email: 'owner@mail.test' });
  const key = await operator(stack, `/${account.id}/api-keys`, { label: 'Bench', scopes: ['*'] });
  return { id: account.id, key: key.secret_key };
}

async function operator(stack, path, body) {
  const { operator_url: url, operator_token: token } = stack.credentials;
  const base = url.replace('//localhost:', '//127.0.0.1:');
  const { statusCode, body: response } = await request(`${base}/operator/accounts/accounts${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (statusCode !== 201) throw new Error(`the operator interface: ${statusCode} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

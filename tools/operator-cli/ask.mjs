// @ts-check
// One request to the operator interface or to the API, with an error that the user can fix.
import { accessSync, constants, createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { OperatorTrouble, parseJson } from './requests.mjs';

const TIMEOUT_MS = 30_000;
const FILE_TIMEOUT_MS = 300_000;
const MAX_MESSAGE = 500;

/**
 * @param {{ url: string, token: string }} target
 * @param {import('./requests.mjs').OperatorRequest} request
 * @returns {Promise<any>} the parsed body
 * @throws OperatorTrouble with the status of the response, if there was one
 */
export async function ask({ url, token }, { method = 'GET', path, body, file, lines, idempotencyKey }) {
  const stream = file ?? lines;
  const target = `${url.replace(/\/$/, '')}${path.startsWith('/') ? '' : '/'}${path}`;
  const response = await fetch(target, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': stream ? stream.contentType : 'application/json',
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    signal: AbortSignal.timeout(stream ? FILE_TIMEOUT_MS : TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(file ? streamOf(file.path) : {}),
    ...(lines ? { body: Readable.from(bytesOf(lines.lines)), duplex: /** @type {const} */ ('half') } : {}),
  }).catch((error) => {
    throw new OperatorTrouble(
      `no response from ${url} (${error.cause?.code ?? error.message}): is Postmesh running?`,
    );
  });
  const text = await response.text();
  if (!response.ok) {
    const trouble = new OperatorTrouble(`${method} ${path}: ${response.status} ${messageOf(text)}`);
    throw Object.assign(trouble, { status: response.status });
  }
  return parseJson(text);
}

/** @param {string} path @returns {{ body: any, duplex: 'half' }} @throws OperatorTrouble */
function streamOf(path) {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new OperatorTrouble(`${path} cannot be read (${error.code})`);
  }
  return { body: createReadStream(path), duplex: 'half' };
}

/** @param {AsyncIterable<string>} lines */
async function* bytesOf(lines) {
  for await (const line of lines) yield Buffer.from(line);
}

function messageOf(text) {
  try {
    return JSON.parse(text).message ?? text;
  } catch {
    return text.slice(0, MAX_MESSAGE);
  }
}

import { connect } from 'node:net';
import { request } from 'undici';
import { expect } from 'vitest';

export interface HttpResponse {
  status: number;
  /** lower-case names; values of one name are joined */
  headers: Record<string, string | undefined>;
  /** parsed JSON; the text when it is not JSON */
  body: any; // eslint-disable-line typescript/no-explicit-any
  bytes: Buffer;
}

export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

export async function send({ method, url, headers, body }: HttpRequest): Promise<HttpResponse> {
  const response = await request(url, { method: method as 'GET', headers, body: body ?? null });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  return {
    status: response.statusCode,
    headers: joined(response.headers),
    body: parsed(bytes.toString()),
    bytes,
  };
}

/**
 * Sends bytes that no client library sends. Reads until the other side closes, so send `Connection: close`.
 * @param lines of the head, joined by CRLF and ended by an empty line; bytes are sent unchanged
 */
export async function sendRaw(
  url: string,
  lines: readonly string[] | Buffer,
  body: string | Buffer = '',
): Promise<HttpResponse> {
  const { hostname, port } = new URL(url);
  const head = Buffer.isBuffer(lines) ? lines : Buffer.from([...lines, '', ''].join('\r\n'));
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(Buffer.concat([head, Buffer.from(body)])),
    );
    socket.setTimeout(15_000, () => socket.destroy(new Error('no end of the answer within 15 s')));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('close', () => resolve());
  });
  return parseAnswer(Buffer.concat(chunks));
}

/** Asserts the one form that every error has (spec 1-platform §1.4). */
export function expectError(response: HttpResponse, status: number, message?: string): void {
  expect([response.status, response.body]).toEqual([status, { message: message ?? expect.any(String) }]);
  expect(response.headers['content-type']).toBe('application/json');
  expect(response.headers['x-request-id']).toMatch(UUID);
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** RFC 3339 in UTC; the fraction may be missing (§1.1 rule 1) */
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

function parseAnswer(all: Buffer): HttpResponse {
  const end = all.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = all.subarray(0, end).toString('latin1').split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf(':');
    headers[line.slice(0, at).toLowerCase()] = line.slice(at + 1).trim();
  }
  const bytes = all.subarray(end + 4);
  return { status: Number(statusLine.split(' ')[1]), headers, body: parsed(bytes.toString()), bytes };
}

function joined(headers: Record<string, string | string[] | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

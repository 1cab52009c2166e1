import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';

/** A POST that has passed every check of the gateway, before its body is sent. */
export interface BegunRequest {
  /** sends the body, or its first bytes */
  write(bytes: number): void;
  /** undefined when the connection was cut */
  response: Promise<{ status: number; retryAfter: string | undefined } | undefined>;
}

/** @param about.body JSON @throws Error when it is refused before its body */
export async function beginRequest(
  url: string,
  { key, body }: { key: string; body: unknown },
): Promise<BegunRequest> {
  const bytes = Buffer.from(JSON.stringify(body));
  const outgoing = request(url, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': bytes.length,
      // the gateway asks for the body once all checks have passed
      expect: '100-continue',
    },
  });
  const response = new Promise<Awaited<BegunRequest['response']>>((resolve) => {
    outgoing.once('error', () => resolve(undefined));
    outgoing.once('response', (incoming: IncomingMessage) => {
      incoming.resume();
      const { statusCode: status = 0, headers } = incoming;
      resolve({ status, retryAfter: headers['retry-after'] });
    });
  });
  const continues = once(outgoing, 'continue');
  outgoing.flushHeaders();
  const refused = response.then((early) => {
    throw new Error(`refused before its body: ${early?.status}`);
  });
  await Promise.race([continues, refused]);
  // from now on a response is expected
  refused.catch(() => undefined);
  return {
    write: (count) => {
      if (count >= bytes.length) outgoing.end(bytes);
      else outgoing.write(bytes.subarray(0, count));
    },
    response,
  };
}

/** Resolves when the server has replied to EHLO. `said`: all replies until the server closes the connection. */
export async function openSmtpSession(port: number): Promise<{ said: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.on('error', () => undefined);
  const said = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  await once(socket, 'data');
  socket.write('EHLO client.test\r\n');
  await once(socket, 'data');
  return { said };
}

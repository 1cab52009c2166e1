// @ts-check
// The outside of the system, in the ledger's own process, so that no kill affects it: a mail host that accepts
// everything, and a receiver of webhooks and route calls that is slow and sometimes fails.
import { createServer } from 'node:http';
import { SMTPServer } from 'smtp-server';
import { isJoining } from './sign-ups.mjs';
import { isTrying } from './trials.mjs';

const CALL_MS = 20;
/** Header of a message. */
const SIGNATURE = /^DKIM-Signature:/im;
const SUBJECT = /^Subject: (.*)\r$/im;
/** The button in a confirmation mail leads there. */
const LINK = /\/j\/[\w-]+/;
/** One call in this many fails once. */
const FAILS_EVERY = 10;

/**
 * @param {import('./book.mjs').Book} book that arrivals are written into
 * @param {object} [how]
 * @param {number} [how.replyMs] delay of its reply to every message
 * @param {(recipient: string) => boolean} [how.defers] the recipients that it defers now
 * @param {string} [how.way] its name among several ways
 * @param {number} [how.port] any unless given
 * @returns {Promise<{ port: number, stop: () => Promise<void>, cut: () => Promise<void> }>} `cut` ends it at once, with the
 *   transactions in flight
 */
export async function startSink(book, { replyMs = 0, defers = () => false, way, port: given = 0 } = {}) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onRcptTo({ address }, _session, callback) {
      if (!defers(address)) return callback();
      callback(Object.assign(new Error('4.2.2 mailbox full'), { responseCode: 452 }));
    },
    onData(stream, session, callback) {
      let head = '';
      const isRead = session.envelope.rcptTo.some(({ address }) => isJoining(address));
      stream.on('data', (chunk) => {
        if (isRead || !head.includes('\r\n\r\n')) head += chunk.toString('latin1');
      });
      stream.once('end', () => {
        const isSigned = SIGNATURE.test(head.split('\r\n\r\n', 1)[0]);
        // a signature in the head may look like a link
        const body = head.slice(head.indexOf('\r\n\r\n')).replaceAll(/=\r?\n/g, '');
        // before the reply: a message has arrived also when its client is cut off before the reply
        for (const { address } of session.envelope.rcptTo) {
          book.arrived(address, isSigned, way);
          const link = isJoining(address) ? LINK.exec(body)?.[0] : undefined;
          if (link !== undefined) book.links.set(address, link);
          if (isTrying(address)) book.read(address, SUBJECT.exec(head)?.[1] ?? '');
        }
        setTimeout(callback, replyMs);
      });
    },
  });
  // the client was killed in the middle
  server.on('error', () => undefined);
  const listener = server.listen(given, '127.0.0.1');
  listener.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise((resolve) => listener.once('listening', resolve));
  const { port } = /** @type {import('node:net').AddressInfo} */ (listener.address());
  const stop = () => /** @type {Promise<void>} */ (new Promise((resolve) => server.close(() => resolve())));
  const cut = () => {
    const stopped = stop();
    for (const socket of sockets) socket.destroy();
    return stopped;
  };
  return { port, stop, cut };
}

/**
 * @param {import('./book.mjs').Book} book that calls are written into
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>} routes call `<url>/route`, webhooks anything else
 */
export async function startReceiver(book) {
  const failed = new Set();
  let count = 0;
  const server = createServer(async (request, response) => {
    /** @type {Buffer[]} */
    const pieces = [];
    try {
      for await (const piece of request) pieces.push(piece);
    } catch {
      return; // cut off: it will come again
    }
    const id = String(request.headers['webhook-id']);
    const event = JSON.parse(Buffer.concat(pieces).toString());
    if (request.url === '/route') book.routed(id, event);
    else book.called(id, event);
    const fails = ++count % FAILS_EVERY === 0 && !failed.has(id);
    if (fails) failed.add(id);
    setTimeout(() => response.writeHead(fails ? 500 : 200).end(), CALL_MS);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

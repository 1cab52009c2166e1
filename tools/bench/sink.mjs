// A process of its own: an SMTP server on loopback that takes every message and remembers when.
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { finished } from 'node:stream/promises';
import { TLSSocket, createSecureContext } from 'node:tls';
import { nowMicros } from './clock.mjs';
import { serveJobs } from './job-server.mjs';
import { SmtpSession, readHead } from './smtp-session.mjs';

const NEWS_MS = 100;
// A run that delivers more than this is not a bench any more; what is beyond is counted, not remembered.
const MOST_ARRIVALS = 3_000_000;

const counts = { messages: 0, signed: 0, connections: 0, tls_connections: 0, first: null, last: null };
let arrivals = [];
let told = -1;

serveJobs({
  listen,
  counts: () => counts,
  /** Forgets what came until now. */
  reset() {
    Object.assign(counts, {
      messages: 0,
      signed: 0,
      connections: 0,
      tls_connections: 0,
      first: null,
      last: null,
    });
    arrivals = [];
  },
  write,
});

/** @param input `tls`: `{key, cert}` in PEM, or undefined */
async function listen({ tls }) {
  const context = tls && createSecureContext(tls);
  const server = createServer({ noDelay: true }, (socket) => serve(socket, context));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  setInterval(() => {
    if (counts.messages === told) return;
    told = counts.messages;
    process.send({ counts });
  }, NEWS_MS);
  return { port: server.address().port };
}

function serve(socket, context) {
  counts.connections += 1;
  let current = socket;
  const wire = {
    write: (text) => current.write(text),
    end: () => current.end(),
    startTls: context && (() => startTls()),
  };
  const session = new SmtpSession(wire, remember);
  const read = (from) => {
    from.on('data', (chunk) => session.receive(chunk));
    from.on('error', () => from.destroy());
  };
  const startTls = () => {
    counts.tls_connections += 1;
    socket.removeAllListeners('data');
    current = new TLSSocket(socket, { isServer: true, secureContext: context });
    read(current);
  };
  read(socket);
}

function remember(messages) {
  const now = nowMicros();
  counts.first ??= now;
  counts.last = now;
  for (const { head } of messages) {
    const { id, signed } = readHead(head);
    counts.messages += 1;
    if (signed) counts.signed += 1;
    if (arrivals.length < MOST_ARRIVALS) arrivals.push(`${id}\t${now}`);
  }
}

async function write({ path }) {
  const file = createWriteStream(path);
  for (const line of arrivals) file.write(`${line}\n`);
  file.end();
  await finished(file);
  const { user, system } = process.cpuUsage();
  return { cpu_seconds: (user + system) / 1e6 };
}

// @ts-check
// (l) Rate of messages that SMTP clients can submit: one recipient each, held back, so that the machine only accepts.
// Reference: Postfix's smtpd, which holds all messages; it needs no login, which happens once per connection.
import { createServer } from 'node:net';
import { join } from 'node:path';
import { perThousand, ratio, round } from './figures.rules.mjs';
import { whileFrozen } from './frozen.mjs';
import { SubmissionPostfix, whyNoPostfix } from './postfix.mjs';
import { DOMAIN, Stack } from './stack.mjs';
import { Worker } from './workers.mjs';

const RECIPIENTS = 'held.test';
const SETTLE_MS = 60_000;

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export async function measureSubmit({ options, note }) {
  const silent = await SilentHost.start();
  const stack = await Stack.start({ sinkPort: silent.port, settings: settingsFor(options) });
  const generator = new Worker('smtp-generator.mjs');
  try {
    note({ postgres: await stack.databaseFacts() });
    const postmesh = await postmeshRun({ stack, generator, options });
    const reason = whyNoPostfix();
    const tls = join(stack.dataDir, 'tls');
    const postfix = reason
      ? undefined
      : await whileFrozen(stack.groups(), () => postfixRun({ tls, generator, options }));
    return {
      name: 'submission, 1 recipient, held',
      connections: options.connections,
      postmesh,
      ...(postfix ? { postfix } : { skipped: reason }),
      ratios: {
        submitted_per_second_to_postfix: ratio(postmesh.messages_per_second, postfix?.messages_per_second),
        submission_cpu_to_postfix: ratio(
          sum(postmesh.cpu_seconds_per_1000),
          sum(postfix?.cpu_seconds_per_1000),
        ),
      },
    };
  } catch (error) {
    throw stack.explain(error);
  } finally {
    await generator.stop();
    await stack.stop();
    await silent.stop();
  }
}

const sum = (parts) => parts && Object.values(parts).reduce((all, part) => all + (part ?? 0), 0);

/** One delivery at a time, to a host that never replies: accepted messages wait. */
const settingsFor = ({ connections }) => ({
  POSTMESH_DELIVERY_CONCURRENCY: '1',
  POSTMESH_SMTP_CONNECTIONS_PER_ADDRESS: String(connections + 10),
  POSTMESH_SMTP_CONNECTIONS_PER_CREDENTIAL: String(connections + 10),
  POSTMESH_SMTP_LOGIN_S: '60',
});

async function postmeshRun({ stack, generator, options }) {
  const credential = await stack.call('POST', '/smtp-credentials', 201, { name: 'bench', scope: 'global' });
  const auth = { user: credential.username, pass: credential.password };
  const before = stack.cpu();
  const { port } = stack.credentials.smtp;
  const load = await submit(generator, { port, auth, options });
  return {
    ...figures(load, options),
    cpu_seconds_per_1000: stack.cpuPerThousand(before, load.accepted),
    memory_mib: stack.memory(),
  };
}

async function postfixRun({ tls, generator, options }) {
  const files = { key: join(tls, 'smtp.key.pem'), cert: join(tls, 'smtp.cert.pem') };
  const postfix = await SubmissionPostfix.start(files);
  try {
    const before = postfix.cpuSeconds();
    const load = await submit(generator, { port: postfix.port, options });
    const cpu = perThousand((postfix.cpuSeconds() ?? 0) - (before ?? 0), load.accepted);
    return {
      ...figures(load, options),
      cpu_seconds_per_1000: { postfix: cpu },
      memory_mib: postfix.memoryMib(),
    };
  } finally {
    await postfix.stop();
  }
}

/**
 * @param {Worker} generator @param {{ port: number, auth?: { user: string, pass: string }, options: import('./options.mjs').Options }} about
 * @returns {Promise<import('./workers.mjs').Load>}
 */
function submit(generator, { port, auth, options }) {
  const { connections, bodyBytes, warmup, seconds } = options;
  const job = {
    host: '127.0.0.1',
    port,
    connections,
    auth,
    from: `sender@${DOMAIN}`,
    to: RECIPIENTS,
    bodyBytes,
  };
  return generator.ask('submit', { ...job, warmup, seconds }, (warmup + seconds) * 1_000 + SETTLE_MS);
}

function figures(load, { seconds }) {
  if (load.accepted_in_time === 0) {
    throw new Error(
      `no message was taken: ${JSON.stringify(load.other_answers)} ${load.other_answer_sample}`,
    );
  }
  return {
    messages_per_second: round(load.accepted_in_time / seconds),
    answer_ms: load.answer_ms,
    other_answers: load.other_answers,
    generator_us_per_message: round((load.cpu_seconds / Math.max(1, load.sent)) * 1e6, 1),
  };
}

/** Accepts connections and sends nothing. */
class SilentHost {
  constructor(server) {
    this.server = server;
    this.port = server.address().port;
    /** @type {Set<import('node:net').Socket>} */
    this.sockets = new Set();
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket)).on('error', () => undefined);
    });
  }

  /** @returns {Promise<SilentHost>} */
  static start() {
    const server = createServer();
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(new SilentHost(server))));
  }

  stop() {
    this.sockets.forEach((socket) => socket.destroy());
    return new Promise((resolve) => this.server.close(resolve));
  }
}

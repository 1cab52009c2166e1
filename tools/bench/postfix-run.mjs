// (c) The same messages through Postfix: smtp-source → Postfix → smtp-sink.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, makeFolder, removeFolder, runToEnd, startChild, stopChild } from './children.mjs';
import { nowMicros, waitUntil } from './clock.mjs';
import { perThousand, round } from './figures.rules.mjs';
import { OpenDkim } from './opendkim.mjs';
import { PostfixInstance, whereIs } from './postfix-instance.mjs';
import { DOMAIN } from './stack.mjs';

const WARM_UP_MESSAGES = 500;
const LIMIT_MS = 180_000;

/** @param about `signed`: with opendkim as milter */
export async function measurePostfix({ signed }, { options }) {
  const relayPort = await freePort();
  const signer = signed ? await OpenDkim.start({ domain: DOMAIN }) : undefined;
  const parts = { relayPort, signer, options };
  try {
    parts.postfix = await PostfixInstance.start({ relayPort, milterPort: signer?.port });
    await proveOneMessage(parts);
    await relay(WARM_UP_MESSAGES, parts);
    return await measure(parts);
  } finally {
    await parts.postfix?.stop();
    await signer?.stop();
  }
}

async function measure({ options, ...rest }) {
  const parts = { options, ...rest };
  const before = cpuOf(parts);
  const { micros, memory } = await relay(options.messages, parts);
  const after = cpuOf(parts);
  return {
    name: `Postfix, ${parts.signer ? 'signed by opendkim' : 'unsigned'}`,
    messages: options.messages,
    seconds: round(micros / 1e6, 2),
    messages_per_second: round(options.messages / (micros / 1e6)),
    cpu_seconds_per_1000: {
      postfix: perThousand(after.postfix - before.postfix, options.messages),
      ...(parts.signer ? { opendkim: perThousand(after.opendkim - before.opendkim, options.messages) } : {}),
    },
    memory_mib: memory,
  };
}

const cpuOf = ({ postfix, signer }) => ({ postfix: postfix.cpuSeconds(), opendkim: signer?.cpuSeconds() });

/** From the start of smtp-source until smtp-sink has as many messages as were sent and ends. */
async function relay(messages, { relayPort, postfix, signer, options }) {
  const sink = startSink(relayPort, ['-M', String(messages)]);
  let memory = null;
  const look = setInterval(() => (memory = Math.max(memory ?? 0, memoryOf({ postfix, signer }))), 2_000);
  try {
    await sinkListens(sink);
    const begin = nowMicros();
    let end;
    void sink.ended.then(() => (end = nowMicros()));
    await send(messages, { port: postfix.port, options });
    await waitUntil(() => end !== undefined, { limitMs: LIMIT_MS, everyMs: 10 });
    if (end === undefined)
      throw new Error(`Postfix did not deliver ${messages} messages in ${LIMIT_MS / 1000} s`);
    memory ??= memoryOf({ postfix, signer });
    return { micros: end - begin, memory };
  } finally {
    clearInterval(look);
    await stopChild(sink);
  }
}

const memoryOf = ({ postfix, signer }) => round((postfix.memoryMib() ?? 0) + (signer?.memoryMib() ?? 0), 1);

/** `-d`: sessions stay open, as the API's connections do. `-N`: no two recipients alike. */
function send(messages, { port, options }) {
  const sessions = String(Math.min(options.connections, messages));
  const args = ['-d', '-N', '-s', sessions, '-m', String(messages), '-l', String(options.bodyBytes)];
  const ends = ['-f', `sender@${DOMAIN}`, '-t', 'u@r00.test', `inet:127.0.0.1:${port}`];
  return runToEnd(whereIs('smtp-source'), [...args, ...ends], { limitMs: LIMIT_MS });
}

/** smtp-sink gives root's rights up and listens before it does. */
function startSink(port, args) {
  return startChild(whereIs('smtp-sink'), ['-u', 'nobody', ...args, `inet:127.0.0.1:${port}`, '512']);
}

async function sinkListens(sink) {
  // a probe connection would be a session of the count; the socket stands in /proc when it listens
  const listens = () =>
    readFileSync('/proc/net/tcp', 'utf8').includes(`0100007F:${hexPort(sink)} 00000000:0000 0A`);
  const up = await Promise.race([
    waitUntil(listens, { limitMs: 5_000, everyMs: 5 }),
    sink.ended.then(() => false),
  ]);
  if (!up) throw new Error(`smtp-sink does not listen: ${sink.output()}`);
}

const hexPort = ({ spawnargs }) =>
  Number(/:(\d+)$/.exec(spawnargs[spawnargs.length - 2])[1])
    .toString(16)
    .toUpperCase()
    .padStart(4, '0');

/** One message on disk: that the way is open, and that a signature is there when one is wanted. */
async function proveOneMessage({ relayPort, postfix, signer, options }) {
  const folder = makeFolder('proof');
  const sink = startSink(relayPort, ['-d', join(folder, 'message.'), '-M', '1']);
  try {
    await runToEnd('chmod', ['777', folder]);
    await sinkListens(sink);
    await send(1, { port: postfix.port, options });
    await waitUntil(() => sink.exitCode !== null, { limitMs: 20_000 });
    const [file] = readdirSync(folder);
    if (file === undefined) throw new Error('Postfix did not deliver the first message within 20 s');
    const isSigned = /^DKIM-Signature:/im.test(readFileSync(join(folder, file), 'latin1'));
    if (isSigned !== (signer !== undefined))
      throw new Error(`a message came ${isSigned ? 'signed' : 'unsigned'}`);
  } finally {
    await stopChild(sink);
    removeFolder(folder);
  }
}

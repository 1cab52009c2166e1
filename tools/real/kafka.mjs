#!/usr/bin/env node
// A real single-node Kafka without Docker: jars from Maven Central by tools/real/kafka/pom.xml, Java 17.
// node tools/real/kafka.mjs start|stop|status     start prints KAFKA_BROKERS=127.0.0.1:<port>
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '../free-port.mjs';
import { cacheDir, runCommand, startDaemon } from './daemon.mjs';

const pom = join(import.meta.dirname, 'kafka/pom.xml');
const version = /<kafka\.version>(.+)<\/kafka\.version>/.exec(readFileSync(pom, 'utf8'))?.[1];
const defaultDir = join(cacheDir, 'real/kafka');
const clusterId = 'cG9zdG1lc2gtcmVhbC0wMQ';

function needJava() {
  const { stderr, error } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const major = Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
  if (error || major < 17)
    throw new Error(`Kafka ${version} needs Java 17 or newer on the PATH (found: ${major || 'none'})`);
}

/** @returns {string} the folder of the broker's jars, fetched once per version */
export function fetchKafka() {
  const libs = join(cacheDir, `kafka-${version}`);
  if (existsSync(libs)) return libs;
  mkdirSync(cacheDir, { recursive: true });
  const partial = `${libs}.partial-${process.pid}`;
  const goal = [
    '-B',
    '-q',
    '-f',
    pom,
    'dependency:copy-dependencies',
    '-DincludeScope=runtime',
    `-DoutputDirectory=${partial}`,
  ];
  try {
    execFileSync('mvn', goal, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
    if (!readdirSync(partial).includes(`kafka_2.13-${version}.jar`))
      throw new Error(`no broker of ${version} came`);
    renameSync(partial, libs);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another start may have fetched the same version meanwhile.
    if (!existsSync(libs))
      throw new Error(`Maven could not fetch Kafka ${version}: ${error.stdout || error.message}`);
  }
  return libs;
}

function serverProperties(dir, { broker, controller, secured }, { login, host }) {
  const secureListener = login ? `,SASL_SSL://localhost:${secured}` : '';
  return [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${controller}`,
    `listeners=PLAINTEXT://127.0.0.1:${broker},CONTROLLER://127.0.0.1:${controller}${secureListener}`,
    `advertised.listeners=PLAINTEXT://${host ?? '127.0.0.1'}:${broker}${secureListener}`,
    ...(login ? securedListener(login) : []),
    'controller.listener.names=CONTROLLER',
    `log.dirs=${join(dir, 'data')}`,
    'offsets.topic.replication.factor=1',
    'offsets.topic.num.partitions=4',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    // A test waits for a member, not for others that may come.
    'group.initial.rebalance.delay.ms=0',
    'auto.create.topics.enable=false',
    // One machine, many throw-away topics: small index files and few threads.
    'log.index.size.max.bytes=65536',
    'log.cleaner.dedupe.buffer.size=16777216',
    'num.io.threads=2',
    'num.network.threads=2',
    'background.threads=2',
  ].join('\n');
}

/** A second listener with TLS and SCRAM; the broker itself uses the other one. */
function securedListener({ key, cert }) {
  const oneLine = (pem) => pem.trim().replaceAll('\n', '\\n');
  return [
    'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL',
    'sasl.enabled.mechanisms=SCRAM-SHA-512',
    'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;',
    'ssl.keystore.type=PEM',
    `ssl.keystore.key=${oneLine(key)}`,
    `ssl.keystore.certificate.chain=${oneLine(cert)}`,
  ];
}

const log = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn';

/** Fresh data get fresh ports; kept data keep theirs, so that clients find the broker again. */
async function prepare(dir, properties, { classpath, login, host }) {
  if (existsSync(join(dir, 'data/meta.properties'))) {
    return Number(
      /^listeners=PLAINTEXT:\/\/127\.0\.0\.1:(\d+),/m.exec(readFileSync(properties, 'utf8'))?.[1],
    );
  }
  const ports = { broker: await freePort(), controller: await freePort(), secured: await freePort() };
  writeFileSync(properties, serverProperties(dir, ports, { login, host }), { mode: 0o600 });
  const tool = ['-Xmx256m', log, '-cp', classpath, 'kafka.tools.StorageTool'];
  const user = login ? `SCRAM-SHA-512=[name=${login.username},password=${login.password}]` : undefined;
  const users = user === undefined ? [] : ['--add-scram', user];
  execFileSync('java', [...tool, 'format', '-t', clusterId, '-c', properties, ...users], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return ports.broker;
}

async function plan(dir, { login, host }) {
  needJava();
  const classpath = join(fetchKafka(), '*');
  const properties = join(dir, 'server.properties');
  const broker = await prepare(dir, properties, { classpath, login, host });
  return {
    command: 'java',
    args: [
      '-Xmx512m',
      '-Xms128m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      log,
      '-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info',
      '-cp',
      classpath,
      'kafka.Kafka',
      properties,
    ],
    port: broker,
    mark: properties,
    // The port opens before the broker serves topics: its last line reports that it does.
    isReady: async () => readFileSync(join(dir, 'daemon.log'), 'utf8').includes('Kafka Server started'),
  };
}

/**
 * Starts Kafka, or joins the one that runs for the same directory.
 * @param {{dir?: string, owned?: boolean, keepData?: boolean, login?: {username: string, password: string, key: string,
 *   cert: string}, host?: string}} [options] owned (default): `stop` ends what this call
 *   started; keepData: keeps the topics and the port of the last run
 *   login: a second listener takes this
 *   user by SCRAM-SHA-512 over TLS, with this key and certificate (PEM) for `localhost`; host: the address that clients
 *   use in place of 127.0.0.1, where something passes their connections on
 * @returns {Promise<{env: {KAFKA_BROKERS: string}, secured?: string, pid: number, stop: () => Promise<void>}>} secured:
 *   `host:port` of that listener
 */
export async function startKafka({ dir = defaultDir, owned = true, keepData = false, login, host } = {}) {
  const daemon = await startDaemon(dir, () => plan(dir, { login, host }), { owned, keepData });
  const listeners = readFileSync(join(dir, 'server.properties'), 'utf8');
  const secured = /^listeners=.*SASL_SSL:\/\/(localhost:\d+)/m.exec(listeners)?.[1];
  return {
    env: { KAFKA_BROKERS: `${host ?? '127.0.0.1'}:${daemon.port}` },
    secured,
    pid: daemon.pid,
    stop: daemon.stop,
  };
}

/**
 * Leaves only the formatted storage: the next start with `keepData` has its address and no topics.
 * @param {string} dir of a broker that does not run
 */
export function wipeKafka(dir) {
  const data = join(dir, 'data');
  const kept = new Set(['meta.properties', 'bootstrap.checkpoint']);
  for (const name of readdirSync(data).filter((one) => !kept.has(one)))
    rmSync(join(data, name), { recursive: true });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runCommand('kafka', defaultDir, () => startKafka({ owned: false }));
}

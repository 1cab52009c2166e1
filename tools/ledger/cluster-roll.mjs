// @ts-check
// Routine work of an operator of a cluster, under load: the tests of the chart, delivery workers 1 → 10 → 1, an upgrade, and
// a node that is drained. Nothing may be lost, refused for long, or come twice.
import { connect } from 'node:net';
import { spawn } from 'node:child_process';
import { waitUntil } from '../processes.mjs';
import { SERVICES } from '@postmesh/contracts';
import { allowedCalls } from '../helm-check/manifests.mjs';

const MOST_WORKERS = 10;
const ACCEPTED_BETWEEN = 20;
const ACCEPTED_MS = 30_000;
const READY_MS = 120_000;
/** A connection that a policy lets through is there by then; others are dropped without a word. */
const TRIED_MS = 2_000;
const INSIDE = 8_090;

/** @param {{ load: import('./load.mjs').Load, release: import('./cluster.mjs').Release, say: (line: string) => void }} about */
export async function rollCluster({ load, release, say }) {
  const { book } = load;
  const { cluster: running, manifests } = release;
  const accepted = () => {
    const enough = book.items.size + ACCEPTED_BETWEEN;
    return waitUntil(() => book.items.size >= enough, { limitMs: ACCEPTED_MS });
  };
  // on a busy machine a probe may have failed
  const round = async () => {
    await waitUntil(() => running.isReady, { limitMs: READY_MS });
    await load.round();
  };
  say(
    `policies: ${await tryPolicies(running, manifests)} connections between services are as the table says`,
  );
  say(`helm test: ${await release.test()} passed`);
  await round();
  await accepted();
  load.burst();
  await running.scale('delivery-worker', MOST_WORKERS);
  say(`delivery-worker: ${MOST_WORKERS} pods`);
  await round();
  await accepted();
  await running.scale('delivery-worker', 1);
  say('delivery-worker: 1 pod');
  load.burst();
  await accepted();
  await round();
  await release.upgrade();
  say('every pod runs the other build');
  load.burst();
  await accepted();
  const [node = ''] = running.about.nodes;
  await running.drain(node);
  say(`node ${node} is drained`);
  load.burst();
  await accepted();
  running.uncordon(node);
  await running.settled();
  book.stops.push(...running.stops);
}

/**
 * Every service tries every other one, from the network of a pod of it.
 * @param {import('../cluster/cluster.mjs').Cluster} running @param {any[]} manifests
 * @returns {Promise<number>} how many were tried. @throws Error when one differs from the table of calls
 */
async function tryPolicies(running, manifests) {
  const allowed = allowedCalls(manifests, SERVICES);
  const podOf = (/** @type {string} */ service) => running.podsOf(running.deploymentOf(service))[0];
  const pairs = SERVICES.flatMap((from) => SERVICES.filter((to) => to !== from).map((to) => ({ from, to })));
  const wrong = await Promise.all(
    pairs.map(async ({ from, to }) => {
      const is = await reaches(podOf(from).place.namespace, podOf(to).place.ip);
      return is === allowed[from].includes(to) ? [] : [`${from} ${is ? 'reaches' : 'does not reach'} ${to}`];
    }),
  );
  // from outside of the cluster: the public port, and no other
  const gateway = podOf('gateway').place.ip;
  const fromOutside = await Promise.all([
    tries(gateway, 8_080),
    tries(gateway, INSIDE),
    tries(podOf('accounts').place.ip, INSIDE),
  ]);
  if (String(fromOutside) !== 'true,false,false') wrong.push([`from outside: ${fromOutside}`]);
  if (wrong.flat().length > 0) throw new Error(`network policies: ${wrong.flat().join(', ')}`);
  return pairs.length;
}

/** @param {string} namespace @param {string} ip @returns {Promise<boolean>} */
function reaches(namespace, ip) {
  const script = `exec 3<>/dev/tcp/${ip}/${INSIDE}`;
  const limit = String(TRIED_MS / 1_000);
  const child = spawn('ip', ['netns', 'exec', namespace, 'timeout', limit, 'bash', '-c', script], {
    stdio: 'ignore',
  });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code === 0)));
}

/** @param {string} host @param {number} port @returns {Promise<boolean>} */
function tries(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TRIED_MS });
    const end = (/** @type {boolean} */ is) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false)).once('error', () => end(false));
  });
}

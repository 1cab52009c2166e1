// @ts-check
// What a cluster does with the manifests of the chart, as far as Postmesh depends on it: hooks, Deployments with rolling
// updates, endpoints of Services, network policies, draining and losing nodes. Containers are processes of this machine.
import { chmodSync, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Permits } from '@postmesh/concurrency';
import { sleep, waitUntil } from '../processes.mjs';
import { closeGroups, openGroups } from './container.mjs';
import { Network } from './network.mjs';
import { Pod } from './pod.mjs';
import { selects } from './policy.rules.mjs';

/** From a stop signal until no new connection is sent there: controllers and proxies of a cluster need about this. */
const SPREAD_MS = 1_000;
/** From the last sign of a node until its pods get no more connections: node-monitor-grace-period of Kubernetes. */
export const NOT_READY_MS = 40_000;
const STARTING_PER_PROCESSOR = 2;
/** A pod that is never ready: it crashes each time. */
const MOST_RESTARTS = 4;
const ROLLOUT_MS = 600_000;
const READY_EVERY_MS = 100;
const COMPONENT = 'app.kubernetes.io/component';

/**
 * @typedef {object} About
 * @property {string} folder of the cluster
 * @property {(image: string) => string} buildOf the folder of the build that an image stands for
 * @property {Record<string, Record<string, string>>} secrets by name and key
 * @property {readonly string[]} nodes their names
 * @property {(line: string) => void} say
 */

export class Cluster {
  /** @param {About} about */
  constructor(about) {
    this.about = about;
    this.network = new Network();
    /** @type {Pod[]} */
    this.pods = [];
    /** @type {any[]} */
    this.manifests = [];
    /** Nodes that take pods. @type {Set<string>} */
    this.schedulable = new Set(about.nodes);
    /** Pods that get no connections though their probe was well: they stop, or their node is gone. @type {Set<Pod>} */
    this.removed = new Set();
    /** number of replicas by Deployment, where it is not the one of the manifest @type {Map<string, number>} */
    this.scales = new Map();
    /** @type {{ what: string, code: number | null, tookMs: number, peakMib: number | undefined }[]} */
    this.stops = [];
    /** @type {Promise<void>[]} */
    this.endings = [];
    this.count = 0;
    // a node of many processors starts all at once; on this one they would only wait for each other
    this.starting = new Permits(STARTING_PER_PROCESSOR * availableParallelism());
    this.isClosed = false;
  }

  open() {
    openGroups();
    this.network.open();
  }

  /** An installation, or an upgrade of one, as Helm does it: the hooks first. @param {any[]} manifests */
  async apply(manifests) {
    const hook = this.manifests.length === 0 ? 'pre-install' : 'pre-upgrade';
    const isHook = (/** @type {any} */ { metadata }) => metadata.annotations?.['helm.sh/hook'] !== undefined;
    const own = manifests.filter((one) => !isHook(one));
    for (const { kind, metadata } of own) if (kind === 'Service') this.network.addressOf(metadata.name);
    // Helm has no policies yet when the hooks of an installation run; here they hold from the first process on
    if (hook === 'pre-install') this.manifests = own;
    for (const one of manifests.filter((each) => hooksOf(each).includes(hook))) await this.runToEnd(one);
    this.about.say(`migrations have run: pods ${hook === 'pre-install' ? 'start' : 'are replaced'}`);
    this.manifests = own;
    this.sync();
    await Promise.all(this.deployments().map((deployment) => this.roll(deployment)));
  }

  /** The tests of the chart, as `helm test` runs them. @param {any[]} manifests @returns {Promise<number>} how many there were */
  async test(manifests) {
    const tests = manifests.filter((one) => hooksOf(one).includes('test'));
    for (const one of tests) await this.runToEnd(one);
    return tests.length;
  }

  /** @returns {any[]} */
  deployments() {
    return this.manifests.filter(({ kind }) => kind === 'Deployment');
  }

  /** @param {string} component @returns {any} */
  deploymentOf(component) {
    const found = this.deployments().find(({ metadata }) => metadata.labels[COMPONENT] === component);
    if (found === undefined) throw new Error(`no Deployment of ${component}`);
    return found;
  }

  /** All pods that were not asked to stop get connections. */
  get isReady() {
    return this.pods.every(({ isReady, isEnding }) => isReady || isEnding);
  }

  /** Pods that were not asked to stop. @param {any} deployment @returns {Pod[]} */
  podsOf({ spec }) {
    return this.pods.filter(({ labels, isEnding }) => !isEnding && selects(spec.selector, labels));
  }

  /** @param {string} component @param {number} replicas */
  async scale(component, replicas) {
    const deployment = this.deploymentOf(component);
    this.scales.set(deployment.metadata.name, replicas);
    const pods = this.podsOf(deployment);
    // newest first
    for (const pod of pods.slice(replicas)) this.end(pod);
    const missing = Math.max(0, replicas - pods.length);
    await Promise.all(Array.from({ length: missing }, () => this.startReady(deployment)));
  }

  /** To the template of the manifest: a new pod is ready before an old one stops (maxSurge 1, maxUnavailable 0). @param {any} deployment */
  async roll(deployment) {
    const { spec, metadata } = deployment;
    if (spec.strategy.rollingUpdate.maxSurge !== 1 || spec.strategy.rollingUpdate.maxUnavailable !== 0)
      throw new Error(`${metadata.name}: another strategy than one after the other`);
    const wanted = this.scales.get(metadata.name) ?? spec.replicas ?? 1;
    const old = this.podsOf(deployment);
    if (old.length === 0) {
      await Promise.all(Array.from({ length: wanted }, () => this.startReady(deployment)));
      return;
    }
    for (const pod of old) {
      await this.startReady(deployment);
      this.end(pod);
    }
    this.about.say(`${metadata.name}: runs ${spec.template.spec.containers[0].image}`);
  }

  /** `kubectl drain`: its pods are evicted, one of each service at a time (PodDisruptionBudget), and begin elsewhere. @param {string} node */
  async drain(node) {
    this.schedulable.delete(node);
    await Promise.all(
      this.deployments().map(async (deployment) => {
        for (const pod of this.podsOf(deployment).filter(({ place }) => place.node === node)) {
          this.end(pod);
          await this.startReady(deployment);
        }
      }),
    );
  }

  /** It takes pods again. @param {string} node */
  uncordon(node) {
    this.schedulable.add(node);
  }

  /** Power and wires of a node are gone at once: nothing closes a connection. @param {string} node @returns {Pod[]} its pods */
  lose(node) {
    this.schedulable.delete(node);
    const lost = this.pods.filter(({ place, isEnding }) => place.node === node && !isEnding);
    for (const { place } of lost) this.network.cut(place.wire);
    for (const pod of lost) pod.lose();
    return lost;
  }

  /** The cluster notices. @param {Pod[]} lost */
  async replace(lost) {
    for (const pod of lost) this.removed.add(pod);
    this.sync();
    await Promise.all(
      lost.map(async (pod) => {
        await this.startReady(this.deploymentOf(pod.component));
        await this.forget(pod);
      }),
    );
  }

  /** @param {any} deployment */
  async startReady(deployment) {
    await this.starting.acquire('start');
    try {
      return await this.untilReady(this.start(deployment.spec.template));
    } finally {
      this.starting.release('start');
    }
  }

  /** @param {Pod} pod */
  async untilReady(pod) {
    const isReady = () => pod.isReady || this.isClosed || pod.restarts >= MOST_RESTARTS;
    await waitUntil(isReady, { limitMs: ROLLOUT_MS, everyMs: READY_EVERY_MS });
    if (!pod.isReady && !this.isClosed)
      throw new Error(`${pod.name} did not become ready, restarted ${pod.restarts} times:\n${pod.log}`);
    return pod;
  }

  /** @param {any} template @returns {Pod} */
  start(template) {
    const component = template.metadata.labels[COMPONENT];
    const name = `${component}-${(this.count += 1)}`;
    const folder = join(this.about.folder, name);
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const build = this.about.buildOf(template.spec.containers[0].image);
    const { secrets } = this.about;
    const { namespace, ip, wire } = this.network.addPod();
    const place = { name, namespace, ip, wire, folder, build, secrets, node: this.nodeFor(component) };
    // the rules of a pod are there before it is
    const endpoint = { name, ip, labels: template.metadata.labels, isReady: false };
    const [{ ports = [] }] = template.spec.containers;
    this.network.apply(this.manifests, [...this.endpoints(), { ...endpoint, ports }]);
    const pod = new Pod(template, { ...place, changed: () => this.sync() });
    this.pods.push(pod);
    return pod;
  }

  /** The one with the fewest pods of the service (topologySpreadConstraints), then with the fewest pods. @param {string} component */
  nodeFor(component) {
    const count = (/** @type {string} */ node, /** @type {(pod: Pod) => boolean} */ is) =>
      this.pods.filter((pod) => !pod.isEnding && pod.place.node === node && is(pod)).length;
    const [node] = [...this.schedulable].toSorted(
      (a, b) =>
        count(a, (pod) => pod.component === component) - count(b, (pod) => pod.component === component) ||
        count(a, () => true) - count(b, () => true),
    );
    if (node === undefined) throw new Error('no node takes pods');
    return node;
  }

  /** In order: SIGTERM at once, while others learn of it a moment later. @param {Pod} pod */
  end(pod) {
    const stopped = pod.stop();
    const spread = sleep(SPREAD_MS).then(() => {
      this.removed.add(pod);
      this.sync();
    });
    this.endings.push(
      Promise.all([stopped, spread]).then(async ([facts]) => {
        this.stops.push({ what: pod.name, ...facts });
        await this.forget(pod);
      }),
    );
  }

  /** Resolves when no pod stops any more. */
  async settled() {
    await Promise.all(this.endings);
  }

  /** @param {Pod} pod that has ended */
  async forget(pod) {
    await pod.clean();
    this.pods = this.pods.filter((each) => each !== pod);
    this.removed.delete(pod);
    this.sync();
    this.network.removePod(pod.place.namespace);
  }

  /** A Job, or a Pod of a test. @param {any} manifest @throws Error when it fails */
  async runToEnd(manifest) {
    const { metadata, spec, kind } = manifest;
    const template = kind === 'Pod' ? { metadata, spec } : spec.template;
    const limitMs = (spec.activeDeadlineSeconds ?? 300) * 1_000;
    const tries = 1 + (spec.backoffLimit ?? 0);
    for (let nth = 1; ; nth += 1) {
      const pod = this.start(template);
      const timer = setTimeout(() => pod.child.kill('SIGKILL'), limitMs);
      const { code } = await pod.child.ended;
      clearTimeout(timer);
      pod.isEnding = true;
      await this.forget(pod);
      if (code === 0) return;
      if (nth >= tries) throw new Error(`${metadata.name} ended with ${code}:\n${pod.log}`);
    }
  }

  endpoints() {
    return this.pods.map((pod) => ({ ...pod.endpoint, isReady: pod.isReady && !this.removed.has(pod) }));
  }

  /** Rules of the network from what is there. */
  sync() {
    if (!this.isClosed) this.network.apply(this.manifests, this.endpoints());
  }

  async close() {
    this.isClosed = true;
    for (const pod of this.pods) pod.lose();
    await Promise.all(this.pods.map((pod) => pod.clean()));
    this.network.close();
    closeGroups();
  }
}

/** @param {any} manifest @returns {string[]} */
const hooksOf = ({ metadata }) => String(metadata.annotations?.['helm.sh/hook'] ?? '').split(',');

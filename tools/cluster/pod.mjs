// @ts-check
// A pod on its node: the part of a kubelet. Its probes decide when it is started, ready, and to be restarted.
import { get } from 'node:http';
import { sleep, waitUntil } from '../processes.mjs';
import { peakOf, removeGroups, startContainer } from './container.mjs';
import { NODE } from './network.mjs';

const RESTART_MS = 1_000;
const GONE_MS = 10_000;

export class Pod {
  /**
   * @param {any} template of its workload
   * @param {import('./container.mjs').Place & { node: string, wire: string, changed: () => void }} place `changed`: of `isReady`
   */
  constructor(template, place) {
    this.place = place;
    this.name = place.name;
    this.spec = template.spec;
    /** @type {Record<string, string>} */
    this.labels = template.metadata.labels;
    this.isReady = false;
    /** it was asked to stop, or is gone with its node */
    this.isEnding = false;
    this.isLost = false;
    this.restarts = 0;
    this.log = '';
    this.child = this.begin();
  }

  get component() {
    return this.labels['app.kubernetes.io/component'] ?? '';
  }

  /** For the network. */
  get endpoint() {
    const [{ ports = [] }] = this.spec.containers;
    return { name: this.name, ip: this.place.ip, labels: this.labels, ports, isReady: this.isReady };
  }

  /** Container of a service, restarted when it ends or does not answer. */
  begin() {
    const child = startContainer(this.spec, this.place);
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => (this.log = (this.log + chunk).slice(-4_000)));
    if (this.spec.restartPolicy === 'Never') return child;
    void this.watch(child);
    void child.ended.then(async () => {
      this.setReady(false);
      if (this.isEnding) return;
      this.restarts += 1;
      await sleep(RESTART_MS);
      if (!this.isEnding) this.child = this.begin();
    });
    return child;
  }

  /** @param {import('../processes.mjs').Child} child */
  async watch(child) {
    const [{ startupProbe, livenessProbe, readinessProbe }] = this.spec.containers;
    let hasEnded = false;
    void child.ended.then(() => (hasEnded = true));
    /** @param {any} probe @param {(ok: boolean, failures: number) => boolean} decide whether it continues */
    const repeat = async (probe, decide) => {
      for (let failures = 0; !hasEnded && !this.isLost;) {
        await sleep((probe.periodSeconds ?? 10) * 1_000);
        const ok = await this.answers(probe);
        failures = ok ? 0 : failures + 1;
        if (hasEnded || !decide(ok, failures)) return;
      }
    };
    const restartAfter = (/** @type {any} */ probe, /** @type {number} */ failures) => {
      if (failures < probe.failureThreshold) return true;
      child.kill('SIGKILL');
      return false;
    };
    await repeat(startupProbe, (ok, failures) => !ok && restartAfter(startupProbe, failures));
    void repeat(livenessProbe, (_, failures) => this.isEnding || restartAfter(livenessProbe, failures));
    await repeat(readinessProbe, (ok, failures) => {
      if (ok) this.setReady(true);
      else if (failures >= readinessProbe.failureThreshold) this.setReady(false);
      return true;
    });
  }

  /** @param {any} probe @returns {Promise<boolean>} */
  answers({ httpGet, timeoutSeconds = 1 }) {
    const [{ ports }] = this.spec.containers;
    const port = ports.find((/** @type {any} */ { name }) => name === httpGet.port).containerPort;
    return new Promise((resolve) => {
      const about = { host: this.place.ip, port, path: httpGet.path, localAddress: NODE, agent: false };
      const request = get({ ...about, timeout: timeoutSeconds * 1_000 }, (response) => {
        response.resume();
        resolve(response.statusCode !== undefined && response.statusCode < 400);
      });
      request.once('timeout', () => request.destroy());
      request.once('error', () => resolve(false));
      request.once('close', () => resolve(false));
    });
  }

  /** @param {boolean} isReady */
  setReady(isReady) {
    if (this.isReady === isReady) return;
    this.isReady = isReady;
    this.place.changed();
  }

  /** @returns {Promise<{ code: number | null, tookMs: number, peakMib: number | undefined }>} of a stop in order */
  async stop() {
    this.isEnding = true;
    const began = performance.now();
    this.child.kill('SIGTERM');
    const timer = setTimeout(
      () => this.child.kill('SIGKILL'),
      this.spec.terminationGracePeriodSeconds * 1_000,
    );
    const { code } = await this.child.ended;
    clearTimeout(timer);
    return { code, tookMs: Math.round(performance.now() - began), peakMib: peakOf(this.name) };
  }

  /** Its node is gone: nothing of it is sent any more. */
  lose() {
    this.isEnding = true;
    this.isLost = true;
    this.child.kill('SIGKILL');
  }

  /** After its end. */
  async clean() {
    await waitUntil(() => this.child.exitCode !== null || this.child.signalCode !== null, {
      limitMs: GONE_MS,
    });
    removeGroups(this.name);
  }
}

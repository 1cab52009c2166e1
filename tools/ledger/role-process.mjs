// @ts-check
// One process of an all-in-one of several (POSTMESH_ROLES), and its supervisor: one that ends is started again, as systemd
// would start it.
import { join } from 'node:path';
import { SERVICES } from '@postmesh/contracts';
import { freePort } from '../free-port.mjs';
import { sleep, startChild, stopChild, waitUntil } from '../processes.mjs';

const MAIN = join(import.meta.dirname, '..', '..', 'services', 'all-in-one', 'dist', 'main.js');
/** More settings of a process that accepts. */
export const ACCEPTING = { POSTMESH_ROLES: 'gateway,messages', POSTMESH_REUSE_PORT: 'on' };

/** Settings of all processes of an installation in which others accept, and the main one has the other services. */
export async function acceptingElsewhere() {
  const port = async () => String(await freePort());
  return {
    POSTMESH_ROLES: SERVICES.filter((name) => !ACCEPTING.POSTMESH_ROLES.split(',').includes(name)).join(','),
    POSTMESH_HTTP_PORT: await port(),
    POSTMESH_SUBMISSION_PORTS: await port(),
    POSTMESH_MX_PORT: await port(),
    POSTMESH_SERVICE_PORT: await port(),
  };
}

// A busy machine needs a minute for it, and the main process may start as well.
const START_MS = 150_000;
const AGAIN_MS = 200;

export class RoleProcess {
  /** @param {Record<string, string | undefined>} env @param {readonly string[]} [nodeArguments] */
  constructor(env, nodeArguments = []) {
    this.env = env;
    this.nodeArguments = nodeArguments;
    this.stopped = false;
    /** so often it was started */
    this.starts = 0;
    /** of the running one, once it is ready @type {string | undefined} */
    this.operatorUrl = undefined;
    this.child = this.begin();
  }

  /** @returns {number | undefined} */
  get pid() {
    return this.child.pid;
  }

  /** @throws Error when it is not ready in time */
  async ready() {
    const url = await waitUntil(() => this.operatorUrl, { limitMs: START_MS });
    if (url === undefined) throw new Error(`a process of roles is not ready: ${this.child.output()}`);
  }

  /** Resolves when it has ended, which its supervisor notices. @param {NodeJS.Signals} signal */
  async end(signal) {
    const { child } = this;
    child.kill(signal);
    return child.ended;
  }

  async stop() {
    this.stopped = true;
    await stopChild(this.child);
  }

  /** @returns {import('../processes.mjs').Child} */
  begin() {
    this.starts += 1;
    this.operatorUrl = undefined;
    const child = startChild(process.execPath, [...this.nodeArguments, MAIN], { env: this.env });
    let said = '';
    child.stdout?.on('data', (chunk) => {
      said = (said + chunk).slice(-1_000);
      this.operatorUrl ??= /^postmesh \S+ ready (\S+)/m.exec(said)?.[1];
    });
    void child.ended.then(async () => {
      this.operatorUrl = undefined;
      await sleep(AGAIN_MS);
      if (!this.stopped) this.child = this.begin();
    });
    return child;
  }
}

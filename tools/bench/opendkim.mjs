// The signer beside Postfix, so that both systems make an RSA-2048 signature per message.
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, makeFolder, removeFolder, startChild, stopChild } from './children.mjs';
import { sleep } from './clock.mjs';
import { whereIs } from './postfix-instance.mjs';
import { treeCpuSeconds, treeMib } from './processes.mjs';

// It refuses keys and settings that lie below a folder to which all may write, as the temporary one is.
const SAFE_PARENT = '/run';
// It says nothing when it listens; a milter that is not there yet would only be asked again.
const START_MS = 500;

/** @returns why messages cannot be signed, undefined when they can */
export const whyNoSigner = () =>
  whereIs('opendkim') === undefined
    ? 'opendkim is not installed; Debian: apt-get install opendkim'
    : undefined;

export class OpenDkim {
  constructor({ folder, port, child }) {
    this.folder = folder;
    this.port = port;
    this.child = child;
  }

  static async start({ domain }) {
    const folder = makeFolder('opendkim', SAFE_PARENT);
    const port = await freePort();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = join(folder, 'key.pem');
    writeFileSync(key, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
    const config = join(folder, 'opendkim.conf');
    writeFileSync(config, configuration({ domain, key, port }));
    const child = startChild(whereIs('opendkim'), ['-f', '-x', config]);
    const early = await Promise.race([child.ended, sleep(START_MS)]);
    const signer = new OpenDkim({ folder, port, child });
    if (early === undefined) return signer;
    const said = child.output();
    await signer.stop();
    throw new Error(`opendkim did not start: ${said || 'it said nothing'}`);
  }

  cpuSeconds() {
    return treeCpuSeconds(this.child.pid);
  }

  memoryMib() {
    return treeMib(this.child.pid);
  }

  async stop() {
    await stopChild(this.child, { graceMs: 5_000 });
    removeFolder(this.folder);
  }
}

/** Canonicalization as Postmesh signs; otherwise the defaults. */
function configuration({ domain, key, port }) {
  return `Mode s
Domain ${domain}
Selector bench
KeyFile ${key}
Socket inet:${port}@127.0.0.1
Canonicalization relaxed/relaxed
SignatureAlgorithm rsa-sha256
Syslog no
`;
}

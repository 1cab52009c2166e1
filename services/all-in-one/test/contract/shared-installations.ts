import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Installation } from '../installation.js';
import { CONTRACT_SETTINGS, facts } from './installation-facts.js';

interface Project {
  provide(key: string, value: unknown): void;
}

/** The most files that use one at the same time; more would slow each other down on two cores. */
const MOST = 2;

/** One installation, for one file at a time. */
class Shared {
  /** files that use it or wait for it */
  users = 0;
  private started: Promise<void> | undefined;
  private turn = Promise.resolve();

  private constructor(private readonly installation: Installation) {}

  static async create(): Promise<Shared> {
    return new Shared(await Installation.create(CONTRACT_SETTINGS));
  }

  /** @param left resolves when the file is done with it. @returns the facts for the file, when its turn has come */
  async take(left: Promise<void>) {
    this.users += 1;
    void left.then(() => (this.users -= 1));
    const mine = this.turn;
    this.turn = mine.then(() => left);
    await mine;
    await (this.started ??= this.installation.start().then(() => undefined));
    return facts(this.installation);
  }

  async remove(): Promise<void> {
    // also an installation that did not become ready in time
    await this.started?.catch(() => undefined);
    await this.installation.remove();
  }
}

/**
 * Runs next to all test files (vitest's globalSetup) and keeps installations for the files that ask, one file at a time
 * each. A file has an installation for as long as it keeps its connection. The first request starts one, a request
 * while it is in use starts the next, and a run without contract files starts none.
 */
export default async function sharedInstallations(project: Project): Promise<() => Promise<void>> {
  const all = await Promise.all(Array.from({ length: MOST }, () => Shared.create()));
  const server = createServer((_request, response) => {
    const left = new Promise<void>((resolve) => response.once('close', resolve));
    const [free] = all.toSorted((one, other) => one.users - other.users);
    free
      ?.take(left)
      .then((found) => response.write(`${JSON.stringify(found)}\n`))
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('contractInstallation', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await Promise.all(all.map((shared) => shared.remove()));
  };
}

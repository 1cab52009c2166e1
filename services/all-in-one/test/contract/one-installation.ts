import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Installation } from '../installation.js';
import { CONTRACT_SETTINGS, facts } from './installation-facts.js';

interface Project {
  provide(key: string, value: unknown): void;
}

/**
 * Runs beside all test files (vitest's globalSetup) and keeps one installation for those that ask, one file at a time:
 * it is a file's for as long as the file keeps its connection. The first question starts it, so that a run without
 * contract files starts none.
 */
export default async function oneInstallation(project: Project): Promise<() => Promise<void>> {
  const installation = await Installation.create(CONTRACT_SETTINGS);
  let started: Promise<unknown> | undefined;
  let turn = Promise.resolve();
  const server = createServer((_request, response) => {
    const left = new Promise<void>((resolve) => response.once('close', resolve));
    const mine = turn;
    turn = mine.then(() => left);
    void mine
      .then(() => (started ??= installation.start()))
      .then(() => facts(installation))
      .then((found) => response.write(`${JSON.stringify(found)}\n`))
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('contractInstallation', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    // also one that did not become ready in time
    await started?.catch(() => undefined);
    await installation.remove();
  };
}

import type { Worker } from 'node:cluster';

interface Closable {
  close(): void;
}

/**
 * Closes the connections that a process was being handed when it ended. `cluster` (Node 20) keeps a connection open until
 * the process has said that it has it; of one that was killed nobody says so, and the client waits for an answer until it
 * gives up. A process is handed one connection of each listener at a time, so the last one of each may be such a one; where it
 * had been taken, `cluster` has closed its end, and closing it again does nothing.
 */
export function closeHandedConnections(worker: Worker): void {
  // one that could not be made has no channel
  if (!worker.isConnected()) return;
  const last = new Map<string, Closable>();
  const { process } = worker;
  const send = process.send.bind(process) as (
    message: unknown,
    handle?: unknown,
    ...rest: unknown[]
  ) => boolean;
  process.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
    const { act, key } = message as { act?: string; key?: string };
    if (act === 'newconn' && key !== undefined && isClosable(handle)) last.set(key, handle);
    return send(message, handle, ...rest);
  };
  worker.once('exit', () => {
    for (const connection of last.values()) connection.close();
  });
}

const isClosable = (handle: unknown): handle is Closable =>
  typeof (handle as Partial<Closable> | undefined)?.close === 'function';

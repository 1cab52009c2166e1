/** A client of Redis, as far as its connection goes. */
export interface RedisConnection {
  /** `ready`: commands are sent; `connect`: it is connected, and asks whether Redis is ready */
  readonly status: string;
  ping(): Promise<unknown>;
  disconnect(reconnect: boolean): void;
}

const LOOK_MS = 2_500;
/** Looks in a row without an answer in between: five seconds at least. */
const SILENT_LOOKS = 2;

/**
 * A Redis that vanished without a FIN closes no connection, and TCP repeats what was sent for a quarter of an hour. So the client is
 * asked every few seconds, and connects again when it has no answer. Its own limits end a command, which leaves the
 * connection as it is (`commandTimeout`), or a connection that has replaced the silent one (`socketTimeout`).
 * @returns ends the watch
 */
export function watchRedis(client: RedisConnection): () => void {
  let silent = 0;
  const look = (): void => {
    timer = setTimeout(look, LOOK_MS).unref();
    if (client.status !== 'ready' && client.status !== 'connect') {
      silent = 0;
      return;
    }
    if (silent >= SILENT_LOOKS) {
      silent = 0;
      client.disconnect(true);
      return;
    }
    silent += 1;
    if (client.status !== 'ready') return;
    client.ping().then(
      () => (silent = 0),
      () => undefined,
    );
  };
  let timer = setTimeout(look, LOOK_MS).unref();
  return () => clearTimeout(timer);
}

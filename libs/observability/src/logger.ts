import { pino, type Logger as PinoLogger, type DestinationStream } from 'pino';
import type { Settings } from '@postmesh/settings';
import { RepeatedFailures } from './repeated-failures.js';

export type Logger = PinoLogger;

// Whatever path a secret takes into a log line, its value stays out.
const REDACTED = ['authorization', 'password', 'secret', 'secret_key', 'api_key', 'token'].flatMap((name) => [
  name,
  `*.${name}`,
]);

// An error of the database carries what the statement was given: messages, addresses, answers with secrets. One of a
// lost connection carries the whole client, with the key that cancels its statements.
const REDACTED_IN_ERRORS = ['parameters', 'detail', 'where', 'client'].flatMap((name) => [
  `err.${name}`,
  `err.driverError.${name}`,
]);

/**
 * JSON lines, one wide line per request and per attempt; `process` is what runs, `service` which part of it
 * speaks. stdout stays free for what people read (`postmesh ready …`), so logs go to stderr unless a stream is
 * given. What fails because a store is away is told once in half a minute.
 */
export function createLogger(
  settings: Pick<Settings, 'logLevel'>,
  process: string,
  stream: DestinationStream = pino.destination({ fd: 2, sync: false }),
): Logger {
  const failures = new RepeatedFailures();
  return pino(
    {
      level: settings.logLevel,
      base: { process },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: [...REDACTED, ...REDACTED_IN_ERRORS], censor: '[hidden]' },
      hooks: {
        logMethod(args, method) {
          const fields = failures.admit(args[0]);
          if (fields !== undefined) method.apply(this, [fields, ...args.slice(1)] as typeof args);
        },
      },
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
}

/** Enough of an address to tell messages apart in a log, too little to leak who wrote to whom. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return at <= 0 ? '***' : `${address.slice(0, 1)}***${address.slice(at)}`;
}

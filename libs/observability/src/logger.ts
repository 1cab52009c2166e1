import { pino, type Logger as PinoLogger, type DestinationStream } from 'pino';
import type { Settings } from '@postmesh/settings';
import { RepeatedFailures } from './repeated-failures.js';

export type Logger = PinoLogger;

// The value of a secret is redacted in every field of a log line.
const REDACTED = ['authorization', 'password', 'secret', 'secret_key', 'api_key', 'token'].flatMap((name) => [
  name,
  `*.${name}`,
]);

// An error of the database carries the statement's parameters: messages, addresses, answers with secrets. An error of a
// lost connection carries the whole client, with the key that cancels its statements.
const REDACTED_IN_ERRORS = ['parameters', 'detail', 'where', 'client'].flatMap((name) => [
  `err.${name}`,
  `err.driverError.${name}`,
]);

/**
 * JSON lines, one wide line per request and per attempt; `process` is the running program, `service` the part of it
 * that logs. stdout is reserved for people (`postmesh ready …`), so logs go to stderr unless a stream is given.
 * Failures caused by an unavailable store are logged once in half a minute.
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

/** Enough of an address to distinguish messages in a log, too little to reveal sender and recipient. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return at <= 0 ? '***' : `${address.slice(0, 1)}***${address.slice(at)}`;
}

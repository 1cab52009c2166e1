/** The part of pino that the bus needs; a service hands in its own child logger. */
export interface BusLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const nothing = (): void => undefined;

/** For callers that want no log at all. */
export const silentLogger: BusLogger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

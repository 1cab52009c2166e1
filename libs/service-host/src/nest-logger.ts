import type { LoggerService } from '@nestjs/common';
import type { Logger } from '@postmesh/observability';

/** Nest's own words, in our form; its start-up chatter is for debugging only. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.debug({ event: 'nest.logged', nest: rest }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.logger.error({ event: 'nest.logged', nest: rest }, String(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn({ event: 'nest.logged', nest: rest }, String(message));
  }

  debug(message: unknown): void {
    this.logger.debug({ event: 'nest.logged' }, String(message));
  }
}

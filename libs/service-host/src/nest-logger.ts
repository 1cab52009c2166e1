import type { LoggerService } from '@nestjs/common';
import type { Logger } from '@postmesh/observability';

/** Log lines of Nest in our form; those of its start have the level debug. */
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

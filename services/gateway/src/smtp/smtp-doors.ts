import { Inject, Injectable } from '@nestjs/common';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { SmtpListener } from './smtp-listener.js';
import { smtpDoors, type DoorRole } from './smtp-doors.rules.js';
import { tlsMaterial } from './tls-material.js';

export interface OpenSmtpDoor {
  role: DoorRole;
  port: number;
}

/** Opens the SMTP ports of the settings. */
@Injectable()
export class SmtpDoors {
  private listeners: SmtpListener[] = [];

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: Metrics,
  ) {}

  /** @throws Error that names the setting when a port or the certificate cannot be had */
  async open(): Promise<OpenSmtpDoor[]> {
    const { smtpHost: host, serviceZone, messageLimitBytes: size } = this.settings;
    const tls = await tlsMaterial(this.settings, this.logger);
    const open: OpenSmtpDoor[] = [];
    for (const door of smtpDoors(this.settings)) {
      const name = `${door.role === 'inbound' ? 'mx' : 'smtp'}.${serviceZone}`;
      const { logger, metrics } = this;
      const listener = new SmtpListener({ door, host, name, size, tls, logger, metrics });
      const port = await listener.listen();
      this.listeners.push(listener);
      open.push({ role: door.role, port });
    }
    return open;
  }

  async close(): Promise<void> {
    const listeners = this.listeners;
    this.listeners = [];
    await Promise.all(listeners.map((listener) => listener.close()));
  }
}

import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { HttpListener } from './http-api/http-listener.js';
import { SmtpListeners, type OpenSmtpListener } from './smtp/smtp-listeners.js';

export interface OpenListeners {
  httpPort: number;
  smtp: OpenSmtpListener[];
}

/** Every public listener of the installation; opened last, closed first. */
@Injectable()
export class GatewayListeners implements OnModuleDestroy {
  constructor(
    private readonly http: HttpListener,
    private readonly smtp: SmtpListeners,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Listens at the addresses of the settings.
   * @throws Error that names the setting when a port cannot be opened; all others are closed again
   */
  async open(): Promise<OpenListeners> {
    const { httpHost, httpPort } = this.settings;
    try {
      const smtp = await this.smtp.open();
      return { httpPort: await this.http.listen(httpHost, httpPort), smtp };
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.http.close(), this.smtp.close()]);
  }

  onModuleDestroy(): Promise<void> {
    return this.close();
  }
}

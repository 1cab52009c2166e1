import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { PublicHttpServer } from '../http-api/public-http-server.js';
import { SmtpDoors, type OpenSmtpDoor } from '../smtp/smtp-doors.js';

export interface OpenDoors {
  httpPort: number;
  smtp: OpenSmtpDoor[];
}

/** Every door of the installation; opened last, closed first. */
@Injectable()
export class GatewayServer implements OnModuleDestroy {
  constructor(
    private readonly http: PublicHttpServer,
    private readonly smtp: SmtpDoors,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Opens the doors at the addresses of the settings.
   * @throws Error that names the setting when one cannot be opened; none stays open then
   */
  async open(): Promise<OpenDoors> {
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

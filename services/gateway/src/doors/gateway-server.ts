import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { PublicHttpServer } from '../http-api/public-http-server.js';

export interface OpenDoors {
  httpPort: number;
}

/** Every door of the installation; opened last, closed first. */
@Injectable()
export class GatewayServer implements OnModuleDestroy {
  constructor(
    private readonly http: PublicHttpServer,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Opens the doors at the addresses of the settings. */
  async open(): Promise<OpenDoors> {
    const { httpHost, httpPort } = this.settings;
    return { httpPort: await this.http.listen(httpHost, httpPort) };
  }

  async close(): Promise<void> {
    await this.http.close();
  }

  onModuleDestroy(): Promise<void> {
    return this.close();
  }
}

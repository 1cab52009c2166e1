import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '@postmesh/observability';
import { OIDC_CALLBACK, OidcClient } from '@postmesh/oidc';
import { ownBaseUrl } from '@postmesh/public-links';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import { oidcOf, type Settings } from '@postmesh/settings';

/** The provider by which members sign in. */
@Injectable()
export class OidcProvider extends OidcClient implements OnModuleDestroy {
  constructor(@Inject(SETTINGS) settings: Settings, @Inject(LOGGER) logger: Logger) {
    super({
      provider: oidcOf(settings),
      callback: () => new URL(`${ownBaseUrl(settings)}${OIDC_CALLBACK}`),
      outgoingHttpAllow: settings.outgoingHttpAllow,
      logger,
    });
  }

  onModuleDestroy(): Promise<void> {
    return this.close();
  }
}

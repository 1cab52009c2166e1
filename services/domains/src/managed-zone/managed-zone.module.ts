import { Controller, Get, HttpCode, Inject, Module, Post } from '@nestjs/common';
import type { Logger } from '@postmesh/observability';
import { Internal, LOGGER, SETTINGS } from '@postmesh/service-host';
import { SettingsError, type Settings } from '@postmesh/settings';
import { serviceHosts } from '../dns/dns-records.rules.js';
import { AliasPublication, type PublicationStatus } from './alias-publication.js';
import { DynamicUpdateZone } from './dynamic-update.zone.js';
import { MANAGED_ZONE, type ManagedZone } from './managed-zone.port.js';

/** State of the zone, for operators, and its repair after a loss. */
@Internal()
@Controller('operator/zone')
class ManagedZoneController {
  constructor(
    private readonly publication: AliasPublication,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get('publication')
  status(): Promise<PublicationStatus> {
    return this.publication.status();
  }

  /** Publishes every key of managed domains again. */
  @Post('republish')
  @HttpCode(200)
  async republish(): Promise<{ waiting: number }> {
    const waiting = await this.publication.writeAllAgain();
    this.logger.warn(
      { event: 'zone.republished', waiting },
      'operator requested a republication of the zone',
    );
    return { waiting };
  }
}

/** Another program reads `/operator/zone` and publishes it: local-internet, or a client of a DNS provider. */
const PULLED_ZONE: ManagedZone = { isWritten: false, apply: async () => undefined };

/** @throws SettingsError for settings that need each other */
function managedZone(settings: Settings): ManagedZone {
  const { zoneUpdateServer: server, zoneUpdateKey: key, zoneUpdateZone, serviceZone } = settings;
  if (server === undefined) return PULLED_ZONE;
  if (key === undefined) {
    throw new SettingsError('POSTMESH_ZONE_UPDATE_SERVER needs POSTMESH_ZONE_UPDATE_KEY');
  }
  const zone = (zoneUpdateZone ?? serviceZone).replace(/\.$/, '').toLowerCase();
  const aliases = serviceHosts(serviceZone).dkim_zone;
  if (aliases !== zone && !aliases.endsWith(`.${zone}`)) {
    throw new SettingsError(`POSTMESH_ZONE_UPDATE_ZONE: '${zone}' does not hold ${aliases}`);
  }
  return new DynamicUpdateZone({ server, key, zone });
}

@Module({
  controllers: [ManagedZoneController],
  providers: [{ provide: MANAGED_ZONE, inject: [SETTINGS], useFactory: managedZone }, AliasPublication],
  exports: [MANAGED_ZONE, AliasPublication],
})
export class ManagedZoneModule {}

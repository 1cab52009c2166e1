import { getServers } from 'node:dns';
import type { FactoryProvider } from '@nestjs/common';
import { OutgoingHttp, PublishedPolicies, readExtraCa } from '@postmesh/http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { DaneLookup } from './dane-lookup.js';
import { validatingResolvers } from './validating-resolvers.rules.js';

/** Certificates of CAs that this worker trusts in addition to the usual ones, PEM; undefined = none. */
export const EXTRA_CA = Symbol('ExtraCa');

export const EXTRA_CA_IN_FORCE: FactoryProvider<string | undefined> = {
  provide: EXTRA_CA,
  inject: [SETTINGS],
  useFactory: ({ extraCaFile }: Settings) => readExtraCa(extraCaFile),
};

export const DANE_LOOKUP: FactoryProvider<DaneLookup> = {
  provide: DaneLookup,
  inject: [SETTINGS],
  useFactory: ({ dnsServers, validatingResolvers: named }: Settings) =>
    new DaneLookup(validatingResolvers(dnsServers.length > 0 ? dnsServers : getServers(), named)),
};

export const PUBLISHED_POLICIES: FactoryProvider<PublishedPolicies> = {
  provide: PublishedPolicies,
  inject: [SETTINGS, EXTRA_CA],
  useFactory: ({ dnsServers, outgoingHttpAllow, mtaStsPort }: Settings, ca: string | undefined) =>
    new PublishedPolicies({
      http: new OutgoingHttp({ allow: outgoingHttpAllow, dnsServers, connectionsPerOrigin: 1, ca }),
      dnsServers,
      port: mtaStsPort,
    }),
};

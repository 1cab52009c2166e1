import type { ServiceDefinition } from '@postmesh/service-host';
import {
  AccountSettingsRow,
  DkimKey,
  DnsHostToken,
  DnsRecordVerdict,
  DomainPause,
  ProviderCredential,
  SendingDomain,
} from './database/entities.js';
import { AddDkimRotation1764100000300 } from './database/migrations/add-dkim-rotation.js';
import { AddDnsHostTokens1764100002040 } from './database/migrations/add-dns-host-tokens.js';
import { AddDomainPauses1764100000100 } from './database/migrations/add-domain-pauses.js';
import { AddDsnDefault1764100001030 } from './database/migrations/add-dsn-default.js';
import { AddProviderCredentials1764100002240 } from './database/migrations/add-provider-credentials.js';
import { AddRecordProblems1764100000200 } from './database/migrations/add-record-problems.js';
import { CreateEgressAddresses1764100002330 } from './database/migrations/create-egress-addresses.js';
import { CreateDomains1764000000100 } from './database/migrations/create-domains.js';
import { SEALED_DKIM_KEYS } from './dkim-keys/dkim-keys.repository.js';
import { SEALED_DNS_HOST_TOKENS } from './dns-host-tokens/dns-host-tokens.repository.js';
import { DomainsModule } from './domains.module.js';
import { SEALED_PROVIDER_CREDENTIALS } from './provider-views/provider-credentials.js';

export const DOMAINS_SERVICE: ServiceDefinition = {
  name: 'domains',
  module: DomainsModule,
  database: {
    entities: [
      SendingDomain,
      DnsRecordVerdict,
      DkimKey,
      DomainPause,
      AccountSettingsRow,
      DnsHostToken,
      ProviderCredential,
    ],
    migrations: [
      CreateDomains1764000000100,
      AddDomainPauses1764100000100,
      AddRecordProblems1764100000200,
      AddDkimRotation1764100000300,
      AddDsnDefault1764100001030,
      AddDnsHostTokens1764100002040,
      AddProviderCredentials1764100002240,
      CreateEgressAddresses1764100002330,
    ],
    secrets: { sealed: [SEALED_DKIM_KEYS, SEALED_DNS_HOST_TOKENS, SEALED_PROVIDER_CREDENTIALS] },
  },
};

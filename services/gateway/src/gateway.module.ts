import { Module, type Provider } from '@nestjs/common';
import { RecipientShields } from '@postmesh/mail-format';
import { PrincipalMinter, principalPrivateKey } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS, type ServiceDefinition } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { KeyCache } from './api-keys/key-cache.js';
import { CacheLease } from './cache-lease/cache-lease.js';
import { KeyUses } from './api-keys/key-uses.js';
import { Documentation } from './documentation/documentation.js';
import { Forwarding } from './forward/forwarding.js';
import { IdempotencyRegister } from './forward/idempotency-register.js';
import { SubAccountFigures } from './forward/sub-account-figures.js';
import { GatewayListeners } from './gateway-listeners.js';
import { AnonymousRequests } from './http-api/anonymous-requests.js';
import { ApiRequests } from './http-api/api-requests.js';
import { HttpListener } from './http-api/http-listener.js';
import { RequestLog } from './http-api/request-log.js';
import { FetchReports } from './public-links/fetch-reports.js';
import { PublicLinks } from './public-links/public-links.js';
import { BUCKETS, InProcessBuckets, type Buckets } from './rate-limits/buckets.js';
import { RateLimits } from './rate-limits/rate-limits.js';
import { RedisBuckets } from './rate-limits/redis.buckets.js';
import { InboundMail } from './smtp/inbound/inbound-mail.js';
import { InboundRecipientDirectory } from './smtp/inbound/inbound-recipients.js';
import { CredentialCache } from './smtp/login/credential-cache.js';
import { CredentialRehashes } from './smtp/login/credential-rehashes.js';
import { Logins } from './smtp/login/logins.js';
import { MessageHandOver } from './smtp/message/hand-over.js';
import { SmtpListeners } from './smtp/smtp-listeners.js';
import { SmtpMetrics } from './smtp/smtp-metrics.js';
import { Submissions } from './smtp/submissions.js';

const PROVIDERS: Provider[] = [
  { provide: BUCKETS, inject: [SETTINGS, LOGGER], useFactory: createBuckets },
  {
    provide: PrincipalMinter,
    inject: [SETTINGS],
    useFactory: (settings: Settings) => new PrincipalMinter(principalPrivateKey(settings)),
  },
  RateLimits,
  KeyCache,
  CacheLease,
  KeyUses,
  IdempotencyRegister,
  SubAccountFigures,
  Forwarding,
  Documentation,
  FetchReports,
  PublicLinks,
  AnonymousRequests,
  RequestLog,
  ApiRequests,
  HttpListener,
  { provide: RecipientShields, inject: [SETTINGS, LOGGER], useFactory: RecipientShields.load },
  CredentialCache,
  CredentialRehashes,
  InboundMail,
  InboundRecipientDirectory,
  Logins,
  MessageHandOver,
  SmtpMetrics,
  Submissions,
  SmtpListeners,
  GatewayListeners,
];

@Module({ providers: PROVIDERS })
class GatewayModule {}

/** The gateway has no database and no events. */
export const GATEWAY_SERVICE: ServiceDefinition = { name: 'gateway', module: GatewayModule };

// A gateway also starts without Redis. It waits this long, so that its first requests use the shared buckets.
const REDIS_START_MS = 2_000;

async function createBuckets({ redisUrl }: Settings, logger: Logger): Promise<Buckets> {
  if (redisUrl === undefined) return new InProcessBuckets();
  const buckets = new RedisBuckets(redisUrl, logger);
  await buckets.connected(REDIS_START_MS);
  return buckets;
}

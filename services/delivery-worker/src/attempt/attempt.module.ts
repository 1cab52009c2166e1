import { Module } from '@nestjs/common';
import { DatabaseClockModule } from '@postmesh/work';
import { EgressModule } from '../egress/egress.module.js';
import { MxModule } from '../mx/mx.module.js';
import { ShapingModule } from '../shaping/shaping.module.js';
import { SigningModule } from '../signing/signing.module.js';
import { TlsModule } from '../tls/tls.module.js';
import { AttemptLog } from './attempt-log.js';
import { DeliveryAttempt } from './delivery-attempt.js';
import { OutgoingConnections } from './outgoing-connections.js';
import { SMTP_TRANSPORT } from './smtp-transport.js';

/** One attempt of a delivery over SMTP. */
@Module({
  imports: [DatabaseClockModule, EgressModule, MxModule, ShapingModule, SigningModule, TlsModule],
  providers: [DeliveryAttempt, AttemptLog, OutgoingConnections, SMTP_TRANSPORT],
  exports: [DeliveryAttempt, AttemptLog],
})
export class AttemptModule {}

import { Module } from '@nestjs/common';
import { DatabaseClockModule } from '@postmesh/work';
import { EgressModule } from '../egress/egress.module.js';
import { MxModule } from '../mx/mx.module.js';
import { ShapingModule } from '../shaping/shaping.module.js';
import { SigningModule } from '../signing/signing.module.js';
import { TlsModule } from '../tls/tls.module.js';
import { WarmUpModule } from '../warm-up/warm-up.module.js';
import { WaysModule } from '../ways/ways.module.js';
import { AttemptLog } from './attempt-log.js';
import { KeptWays } from './kept-ways.js';
import { DeliveryAttempt } from './delivery-attempt.js';
import { OutgoingConnections } from './outgoing-connections.js';
import { SMTP_TRANSPORT } from './smtp-transport.js';
import { WayChoice } from './way-choice.js';

/** One attempt of a delivery over SMTP. */
@Module({
  imports: [
    DatabaseClockModule,
    EgressModule,
    MxModule,
    ShapingModule,
    SigningModule,
    TlsModule,
    WarmUpModule,
    WaysModule,
  ],
  providers: [DeliveryAttempt, AttemptLog, KeptWays, WayChoice, OutgoingConnections, SMTP_TRANSPORT],
  exports: [DeliveryAttempt, AttemptLog],
})
export class AttemptModule {}

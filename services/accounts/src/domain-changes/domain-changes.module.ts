import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { RevocationModule } from '../revocation/revocation.module.js';
import { OnDomainChanged } from './on-domain-changed.consumer.js';

@Module({ imports: [AuditModule, RevocationModule], controllers: [OnDomainChanged] })
export class DomainChangesModule {}

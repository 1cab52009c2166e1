import { Module } from '@nestjs/common';
import { AccountDomains } from './account-domains.js';
import { AddSuppressions } from './add-suppressions.js';
import { CreateSuppressions } from './create-suppressions.js';
import { DeleteSuppressions } from './delete-suppressions.js';
import { PurgeSuppressions } from './purge-suppressions.js';
import { SuppressedRecipients } from './suppressed-recipients.js';
import { SuppressionPagesController } from './suppression-pages.controller.js';
import { SuppressionsController } from './suppressions.controller.js';
import { SuppressionsRepository } from './suppressions.repository.js';

/** Addresses that get no mail from a domain. */
@Module({
  controllers: [SuppressionsController, SuppressionPagesController],
  providers: [
    AccountDomains,
    AddSuppressions,
    CreateSuppressions,
    DeleteSuppressions,
    PurgeSuppressions,
    SuppressedRecipients,
    SuppressionsRepository,
  ],
  exports: [
    AccountDomains,
    AddSuppressions,
    DeleteSuppressions,
    SuppressedRecipients,
    SuppressionsRepository,
  ],
})
export class SuppressionsModule {}

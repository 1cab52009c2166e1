import { Module } from '@nestjs/common';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { OperatorImportsController } from './operator-imports.controller.js';
import { ImportSuppressions } from './import-suppressions.js';
import { SuppressionBatchesController } from './suppression-batches.controller.js';
import { SuppressionImports } from './suppression-imports.js';

/** Imports of suppression lists. */
@Module({
  imports: [SuppressionsModule],
  controllers: [OperatorImportsController, SuppressionBatchesController],
  providers: [ImportSuppressions, SuppressionImports],
})
export class SuppressionImportsModule {}

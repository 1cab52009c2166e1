import { Module } from '@nestjs/common';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { OperatorImportsController } from './operator-imports.controller.js';
import { SuppressionImports } from './suppression-imports.js';

/** Imports of suppression lists. */
@Module({
  imports: [SuppressionsModule],
  controllers: [OperatorImportsController],
  providers: [SuppressionImports],
})
export class SuppressionImportsModule {}

import { Module } from '@nestjs/common';
import { DatabaseClockModule } from '@postmesh/work';
import { BudgetRows } from './budget-rows.js';
import { Budgets } from './budgets.js';
import { ForgetBudgets } from './forget-budgets.js';

/** Budgets of new source addresses with each mailbox provider. */
@Module({
  imports: [DatabaseClockModule],
  providers: [BudgetRows, Budgets, ForgetBudgets],
  exports: [BudgetRows, Budgets],
})
export class WarmUpModule {}

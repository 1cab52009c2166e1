// @ts-check
import { DATABASES } from './databases.mjs';
import { Life } from './life.mjs';
import { judge } from './oracle.rules.mjs';
import { lineOf, planOf } from './plan.mjs';

/** @type {import('../subjects.mjs').Subject} */
export const SUBJECT = {
  databases: DATABASES,
  planOf,
  lineOf,
  async live(plan, store, options) {
    const history = await new Life(plan, store, options).history();
    return { history, breaches: judge(history), attempts: history.batches };
  },
};

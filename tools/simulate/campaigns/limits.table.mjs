// @ts-check
/** Recipients of a batch (the product: 100, `smaller.table.mjs`), and messages of a campaign without a first outcome. */
export const LIMITS = { batch: 3, window: 6 };

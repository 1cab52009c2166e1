// @ts-check
/**
 * A plan that fails, with as few steps as possible: halves are left out, then quarters, and so on, as long as it fails.
 * @template {{ steps: any[] }} P @param {P} plan @param {(plan: P) => Promise<boolean>} fails
 * @returns {Promise<P>}
 */
export async function shrink(plan, fails) {
  let least = plan;
  for (let size = Math.ceil(plan.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < least.steps.length;) {
      const smaller = { ...least, steps: least.steps.filter((_, nth) => nth < at || nth >= at + size) };
      if (smaller.steps.length > 0 && (await fails(smaller))) least = smaller;
      else at += size;
    }
  }
  return least;
}

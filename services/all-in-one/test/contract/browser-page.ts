import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * Violations of WCAG 2.2 AA that axe finds.
 * @param within selectors of the parts to look at, when a whole page has too many
 */
export async function barriers(
  page: Page,
  within?: readonly string[],
): Promise<[rule: string, places: string[]][]> {
  await page.evaluate(axe.source);
  const context = within === undefined ? 'document' : JSON.stringify({ include: within.map((one) => [one]) });
  return page.evaluate(`axe
    .run(${context}, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], iframes: false })
    .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`);
}

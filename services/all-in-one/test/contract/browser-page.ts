import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Violations of WCAG 2.2 AA that axe finds. */
export async function barriers(page: Page): Promise<[rule: string, places: string[]][]> {
  await page.evaluate(axe.source);
  return page.evaluate(`axe
    .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], iframes: false })
    .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`);
}

import type { Browser } from 'playwright-core';
import { realProgram } from '../real-part.js';

/**
 * The path of Chromium, from `CHROMIUM` or the usual places of systems.
 * @returns undefined = leave the suite out, with a printed line
 * @throws Error when this run requires it
 */
export const chromiumPath = (): string | undefined => realProgram('CHROMIUM', 'chromium');

/**
 * Starts a browser without a window.
 * @param binary from `chromiumPath`
 */
export async function startBrowser(binary: string): Promise<Browser> {
  // imported here: it takes half a second, which every other suite would pay for
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: binary });
}

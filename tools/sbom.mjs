#!/usr/bin/env node
// @ts-check
// The bill of materials of the image: CycloneDX by npm from the lock file, without what only development needs.
//   node tools/sbom.mjs > sbom.cdx.json
// `npm sbom --omit=dev` is of no use for it: it leaves out whatever development packages need as well, such as rxjs.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './prepare.mjs';

/** @typedef {{ 'bom-ref': string, name: string, version: string, properties?: { name: string, value: string }[] }} Component */

/** @returns {{ components: Component[], dependencies: { ref: string, dependsOn: string[] }[] }} @throws Error when npm fails */
export function billOfMaterials() {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  return withoutDevelopment(JSON.parse(stdout), neededByProduction());
}

/** @template {{ components: Component[], dependencies: { ref: string, dependsOn: string[] }[] }} Bill @param {Bill} bill @param {ReadonlySet<string>} [needed] @returns {Bill} */
export function withoutDevelopment(bill, needed = new Set()) {
  const left = bill.components.filter(
    (one) => !needed.has(one['bom-ref']) && one.properties?.some(isDevelopment),
  );
  const gone = new Set(left.map((component) => component['bom-ref']));
  return {
    ...bill,
    components: bill.components.filter((component) => !gone.has(component['bom-ref'])),
    dependencies: bill.dependencies
      .filter(({ ref }) => !gone.has(ref))
      .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => !gone.has(ref)) })),
  };
}

/** A version that stands twice in the lock file has one entry in npm's list, which may be the one of development. */
function neededByProduction() {
  /** @type {{ packages: Record<string, { name?: string, version?: string, dev?: boolean }> }} */
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const needed = Object.entries(packages).filter(([, { dev }]) => dev !== true);
  return new Set(
    needed.map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`),
  );
}

/** @param {{ name: string, value: string }} property */
const isDevelopment = ({ name, value }) => name === 'cdx:npm:package:development' && value === 'true';

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(JSON.stringify(billOfMaterials(), null, 2));
}

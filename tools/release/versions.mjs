// @ts-check
// The version of a release is in package.json alone; these files repeat it. Projects of the workspace are private, and
// their versions are not read.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Semantic Versioning 2.0.0, without build metadata, which tags of images cannot have. */
const SEMANTIC = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** The two places of a lock file that name the package that it is of. */
const LOCKED = /"name": "postmesh",\n +"version": "([^"]*)"/g;
/** Where a version is; the group is the version, so that every match has to be it. @type {readonly [string, RegExp][]} */
const PLACES = [
  ['package.json', /^ {2}"version": "([^"]*)"/gm],
  ['package-lock.json', LOCKED],
  ['sdks/node/package.json', /^ {2}"version": "([^"]*)"/gm],
  ['sdks/node/package-lock.json', LOCKED],
  ['sdks/node/src/version.ts', /\bVERSION = '([^']*)'/g],
  ['sdks/python/src/postmesh/_version.py', /\b__version__ = "([^"]*)"/g],
  ['sdks/go/client.go', /\bVersion = "([^"]*)"/g],
  ['deploy/helm/postmesh/Chart.yaml', /^(?:version|appVersion): (.*)$/gm],
];

/** @param {string} root @returns {string} the version of the release that this checkout is or becomes */
export const versionOf = (root) => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

/** @param {string} root @param {string} [tag] of the release, `v1.2.3` @returns {string[]} one line per difference */
export function versionFaults(root, tag) {
  const version = versionOf(root);
  const places = PLACES.flatMap(([path, pattern]) => {
    const found = [...readFileSync(join(root, path), 'utf8').matchAll(pattern)].map(([, text]) => text);
    if (found.length === 0) return [`${path} has no version`];
    return found.filter((each) => each !== version).map((each) => `${path} has ${each}, not ${version}`);
  });
  return [
    ...(SEMANTIC.test(version) ? [] : [`${version} is no semantic version`]),
    ...places,
    ...(tag === undefined || tag === `v${version}` ? [] : [`the tag ${tag} is not v${version}`]),
  ];
}

/** @param {string} root @param {string} version that all places get. @throws Error when it is no semantic version */
export function setVersion(root, version) {
  if (!SEMANTIC.test(version)) throw new Error(`${version} is no semantic version`);
  for (const [path, pattern] of PLACES) {
    const text = readFileSync(join(root, path), 'utf8');
    const changed = text.replaceAll(pattern, (whole, before) => whole.replace(before, version));
    writeFileSync(join(root, path), changed);
  }
}

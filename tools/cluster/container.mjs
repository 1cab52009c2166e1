// @ts-check
// A container of a manifest as a process: the command and the variables of the image, a root file system of its own that is
// read-only but for its volumes, the user and the capabilities that the manifest wants, its limits as control groups, in the
// network namespace of its pod.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { parseDockerfile } from '../image/dockerfile.mjs';
import { adopt } from '../processes.mjs';

const ROOT = join(import.meta.dirname, '..', '..');
const CGROUPS = '/sys/fs/cgroup';
/** A cluster that lets others go first has this share: some times that of one process of the lowest priority. */
const LOW_SHARES = 512;
/** As two processors of the normal priority. */
const SHARES = 2_048;
/** Parts of the machine that a container sees: those of a system, as its base image has them. */
const SYSTEM = ['bin', 'sbin', 'lib', 'lib64', 'usr', 'etc', 'dev', 'proc'];
const image = parseDockerfile(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')).at(-1);

/** $1: the new root. $2: the folder of the packages. $3: the build. Then the volumes, `from:to`, until `--`, and the command. */
const INSIDE = `
root=$1 packages=$2 build=$3 user=$4 readonly=$5; shift 5
mount -t tmpfs -o size=1m,mode=755 tmpfs "$root"
for part in ${SYSTEM.join(' ')}; do
  if [ -L "/$part" ]; then cp -P "/$part" "$root/$part"
  elif [ -e "/$part" ]; then mkdir "$root/$part"; mount --rbind "/$part" "$root/$part"; fi
done
for part in "$packages" "$build"; do
  mkdir -p "$root$part"; mount --bind "$part" "$root$part"; mount -o remount,bind,ro "$root$part"
done
for part in usr etc; do mount -o remount,bind,ro "$root/$part"; done
while [ "$1" != -- ]; do
  mkdir -p "$root\${1#*:}"; mount --bind "\${1%%:*}" "$root\${1#*:}"; shift
done
shift
if [ "$readonly" = true ]; then mount -o remount,ro "$root"; fi
exec chroot "$root" setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all \\
  sh -c 'cd "$0" && exec "$@"' "$build" "$@"`;
/** $1: the namespace, then the control groups until \`--\`. */
const OUTSIDE = `
namespace=$1; shift
while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs"; shift; done
shift
exec ip netns exec "$namespace" sh -ec "$INSIDE" sh "$@"`;

/**
 * @typedef {object} Place of a pod
 * @property {string} name
 * @property {string} namespace of its network
 * @property {string} ip
 * @property {string} folder its own
 * @property {string} build the folder that is its image
 * @property {Record<string, Record<string, string>>} secrets by name and key
 */

/** @param {any} pod spec of a template @param {Place} place @returns {import('../processes.mjs').Child} */
export function startContainer(pod, place) {
  const [container] = pod.containers;
  const { securityContext: context, volumeMounts = [], command = image?.entrypoint } = container;
  const user = pod.securityContext.runAsUser;
  if (context.capabilities?.drop?.[0] !== 'ALL' || context.allowPrivilegeEscalation !== false)
    throw new Error(`${place.name}: a container with capabilities`);
  const root = join(place.folder, 'root');
  mkdirSync(root, { recursive: true });
  const volumes = volumeMounts.map(
    (/** @type {{ name: string, mountPath: string }} */ { name, mountPath }) => {
      const from = join(place.folder, 'volumes', name);
      mkdirSync(from, { recursive: true });
      // fsGroup
      chmodSync(from, 0o777);
      return `${from}:${mountPath}`;
    },
  );
  const child = spawn(
    'sh',
    [
      ...['-ec', OUTSIDE, 'sh', place.namespace, ...groupsOf(container, place.name), '--'],
      ...[root, ROOT, place.build, String(user), String(context.readOnlyRootFilesystem === true)],
      ...[...volumes, '--', ...command],
    ],
    {
      env: { ...imageEnvironment(), ...environmentOf(container, place), INSIDE },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  return adopt(child);
}

/** Its packages and its Node are those of this checkout. @returns {Record<string, string>} */
const imageEnvironment = () => ({
  ...image?.env,
  PATH: `${join(ROOT, 'node_modules/.bin')}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
});

/** @param {any} container @param {Place} place @returns {Record<string, string>} */
function environmentOf({ env = [] }, { ip, secrets, name: pod }) {
  return Object.fromEntries(
    env.map((/** @type {any} */ { name, value, valueFrom }) => {
      if (value !== undefined) return [name, value];
      if (valueFrom.fieldRef?.fieldPath === 'status.podIP') return [name, ip];
      const { name: secret, key } = valueFrom.secretKeyRef;
      const found = secrets[secret]?.[key];
      if (found === undefined) throw new Error(`${pod}: no key ${key} in a Secret ${secret}`);
      return [name, found];
    }),
  );
}

/** Control groups of version 1, as far as this machine has them. @param {any} container @param {string} name @returns {string[]} */
function groupsOf({ resources }, name) {
  const limits = {
    memory: { 'memory.limit_in_bytes': bytesOf(resources.limits?.memory) },
    cpu: {
      'cpu.shares': Math.max(2, Math.round(coresOf(resources.requests.cpu) * 1_024)),
      'cpu.cfs_quota_us': resources.limits?.cpu === undefined ? -1 : coresOf(resources.limits.cpu) * 100_000,
    },
  };
  return Object.entries(limits).flatMap(([kind, files]) => {
    if (!existsSync(join(CGROUPS, kind, 'cgroup.procs'))) return [];
    const group = groupOf(kind, name);
    mkdirSync(group, { recursive: true });
    for (const [file, value] of Object.entries(files)) writeFileSync(join(group, file), String(value));
    return [group];
  });
}

/** All groups of a cluster are in one: requests divide what it has, and take nothing from other programs. */
const PARENT = `postmesh-cluster-${process.pid.toString(36)}`;
/** @param {string} kind @param {string} name */
const groupOf = (kind, name) => join(CGROUPS, kind, PARENT, name);

/** The groups of this cluster, and what killed ones have left. */
export function openGroups() {
  for (const kind of ['memory', 'cpu'].filter((each) => existsSync(join(CGROUPS, each, 'cgroup.procs')))) {
    for (const name of readdirSync(join(CGROUPS, kind)).filter((each) =>
      each.startsWith('postmesh-cluster-'),
    ))
      removeAll(join(CGROUPS, kind, name));
    mkdirSync(join(CGROUPS, kind, PARENT), { recursive: true });
  }
  const shares = join(CGROUPS, 'cpu', PARENT, 'cpu.shares');
  // a priority says little inside of a group, so that the group has it
  if (existsSync(shares)) writeFileSync(shares, String(getPriority() > 0 ? LOW_SHARES : SHARES));
}

export function closeGroups() {
  for (const kind of ['memory', 'cpu']) removeAll(join(CGROUPS, kind, PARENT));
}

/** @param {string} group and those below it, as far as they have no processes */
function removeAll(group) {
  try {
    for (const entry of readdirSync(group, { withFileTypes: true }))
      if (entry.isDirectory()) rmdirSync(join(group, entry.name));
    rmdirSync(group);
  } catch {
    // it has a process, or is gone
  }
}

/** After the end of a container. @param {string} name of its pod */
export function removeGroups(name) {
  for (const kind of ['memory', 'cpu']) {
    try {
      rmdirSync(groupOf(kind, name));
    } catch {
      // there was none, or a process of it still ends
    }
  }
}

/** The most memory that its processes had at once. @param {string} name of a pod @returns {number | undefined} MiB */
export function peakOf(name) {
  const file = join(groupOf('memory', name), 'memory.max_usage_in_bytes');
  return existsSync(file) ? Math.round(Number(readFileSync(file, 'utf8')) / 2 ** 20) : undefined;
}

/** @param {string} [text] such as `512Mi` */
function bytesOf(text) {
  if (text === undefined) return -1;
  const [, number = '', unit = ''] = /^(\d+)(Ki|Mi|Gi)?$/.exec(text) ?? [];
  return Number(number) * 1_024 ** ['', 'Ki', 'Mi', 'Gi'].indexOf(unit);
}

/** @param {string} text such as `500m` */
const coresOf = (text) => (text.endsWith('m') ? Number(text.slice(0, -1)) / 1_000 : Number(text));

// Checks of the chart's manifests without a cluster, beyond their types: every reference has a target, every service
// runs with settings that it accepts, and the allowed connections between services.

const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'Job', 'Pod']);
/** They run to their end. */
const ENDING = new Set(['Job', 'Pod']);
/** Read by the image's entry point, by Node, or by other variables of the same container. */
const NOT_SETTINGS = new Set([
  'SERVICE',
  'NODE_EXTRA_CA_CERTS',
  'DEMO_POSTGRES_PASSWORD',
  'DEMO_REDIS_PASSWORD',
]);
const COMPONENT = 'app.kubernetes.io/component';

/**
 * @typedef {object} Known
 * @property {readonly string[]} services names of all services
 * @property {ReadonlyMap<string, {secret: boolean}>} settings of the catalogue, by environment variable
 * @property {(environment: Record<string, string>) => void} accept throws where a service would not start with these
 * @property {Record<string, readonly string[]>} calls called services by calling service
 */

/**
 * @param {any[]} manifests of one rendering
 * @param {Known} known
 * @returns {string[]} one line per fault
 */
export function manifestFaults(manifests, known) {
  const workloads = manifests.filter(({ kind }) => WORKLOADS.has(kind));
  const ours = workloads.filter((one) => one.metadata.labels[COMPONENT].startsWith('demo-') === false);
  return [
    ...twice(manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`)),
    ...manifests
      .filter(({ kind }) => kind === 'Secret')
      .map(({ metadata }) => `${metadata.name}: a Secret in the chart`),
    ...missingServices(workloads, known.services),
    ...workloads.flatMap((workload) => podFaults(workload)),
    ...ours.flatMap((workload) => [
      ...ourPodFaults(workload),
      ...containersOf(workload).flatMap((container) => settingFaults(workload, container, known)),
    ]),
    ...manifests.flatMap((manifest) => referenceFaults(manifest, manifests, workloads)),
  ];
}

const nameOf = ({ kind, metadata }) => `${kind}/${metadata.name}`;
const podOf = (workload) => (workload.kind === 'Pod' ? workload : workload.spec.template);
const containersOf = (workload) => podOf(workload).spec.containers;
const twice = (names) =>
  names.filter((name, index) => names.indexOf(name) < index).map((name) => `${name} is there twice`);

function missingServices(workloads, services) {
  const run = new Set(
    workloads.flatMap((workload) =>
      containersOf(workload).flatMap(({ env }) => valueOf(env, 'SERVICE') ?? []),
    ),
  );
  return services.filter((service) => !run.has(service)).map((service) => `${service}: nothing runs it`);
}

const valueOf = (env, name) => env?.find((variable) => variable.name === name)?.value;

/** Paths that a gateway serves under any host name (services/gateway/src/public-links). */
const LINKS = new Set(['/o/', '/c/', '/u/', '/r/', '/v/']);

/** Restricted pods (Kubernetes Pod Security Standards), of the demo, too. */
function podFaults(workload) {
  const { spec } = podOf(workload);
  const wanted = {
    'runs as root': spec.securityContext?.runAsNonRoot === true && spec.securityContext.runAsUser > 0,
    'has no seccomp profile': spec.securityContext?.seccompProfile?.type === 'RuntimeDefault',
    'has a token of the cluster': spec.automountServiceAccountToken === false,
    'has variables for Services': spec.enableServiceLinks === false,
    'has a container with capabilities or privileges': spec.containers.every(
      ({ securityContext: context }) =>
        context?.allowPrivilegeEscalation === false && context.capabilities?.drop?.includes('ALL'),
    ),
    'requests nothing': spec.containers.every(
      ({ resources }) => resources?.requests?.cpu && resources.requests.memory,
    ),
    'mounts a volume that is not there': spec.containers.every(({ volumeMounts }) =>
      volumeMounts.every(({ name }) => spec.volumes.some((volume) => volume.name === name)),
    ),
  };
  return Object.entries(wanted).flatMap(([fault, holds]) => (holds ? [] : [`${nameOf(workload)}: ${fault}`]));
}

function ourPodFaults(workload) {
  const [container] = containersOf(workload);
  const wanted = {
    'may write to its root file system': container.securityContext.readOnlyRootFilesystem === true,
    'has no room to write': ['/tmp', '/data'].every((path) =>
      container.volumeMounts.some(({ mountPath }) => mountPath === path),
    ),
    'lacks a probe':
      ENDING.has(workload.kind) ||
      (container.startupProbe?.httpGet?.path === '/health/live' &&
        container.livenessProbe?.httpGet?.path === '/health/live' &&
        container.readinessProbe?.httpGet?.path === '/health/ready'),
    'has another time to stop than its cluster gives it':
      ENDING.has(workload.kind) || isStopInTime(workload, container),
  };
  return Object.entries(wanted).flatMap(([fault, holds]) => (holds ? [] : [`${nameOf(workload)}: ${fault}`]));
}

/** The process has its time to stop in a setting, and its probe fails before it accepts no more requests (ADR 77). */
function isStopInTime(workload, { env, readinessProbe }) {
  const [grace, drain] = ['POSTMESH_TERMINATION_GRACE_SECONDS', 'POSTMESH_DRAIN_SECONDS'].map((name) =>
    Number(valueOf(env, name)),
  );
  return (
    grace === podOf(workload).spec.terminationGracePeriodSeconds &&
    grace >= drain + SERVICE_STOP_S &&
    (readinessProbe?.periodSeconds ?? 10) * (readinessProbe?.failureThreshold ?? 3) < drain
  );
}
/** libs/service-host refuses to start with less. */
const SERVICE_STOP_S = 10;

function settingFaults(workload, { env = [] }, { settings, accept }) {
  const faults = [
    ...twice(env.map(({ name }) => name)),
    ...env
      .filter(({ name }) => !NOT_SETTINGS.has(name) && !settings.has(name))
      .map(({ name }) => `there is no setting ${name}`),
    // of the demo: a URL around a variable that is from a Secret
    ...env
      .filter(
        ({ name, value }) => settings.get(name)?.secret && value !== undefined && !/\$\(DEMO_/.test(value),
      )
      .map(({ name }) => `${name} is a secret in plain text`),
  ];
  try {
    accept(
      Object.fromEntries(env.map((variable) => [variable.name, variable.value ?? standIn(variable.name)])),
    );
  } catch (error) {
    faults.push(error.message);
  }
  return faults.map((fault) => `${nameOf(workload)}: ${fault}`);
}

/** Data of a Secret. */
function standIn(name) {
  if (name.endsWith('DATABASE_URL')) return 'postgresql://a:b@host/db';
  if (name === 'REDIS_URL') return 'rediss://host';
  if (name === 'POSTMESH_EGRESS_RELAY') return 'smtps://a:b@relay.example.com';
  if (name === 'POSTMESH_EGRESS_SOCKS_LOGINS') return 'socks5://a:b@proxy.example.com:1080';
  if (name === 'POSTMESH_ZONE_UPDATE_KEY') return 'name:hmac-sha256:c2VjcmV0IHNlY3JldCBzZWNyZXQ=';
  if (name === 'POSTMESH_OPERATOR_TOKENS') return 'ann:a-token-of-32-characters-or-more';
  return name === 'POSTMESH_SERVICE_HOST' ? '10.0.0.1' : 'a-secret-of-32-characters-or-more';
}

/** @returns {any[]} the workloads whose pods have all these labels */
const selected = (workloads, labels) =>
  workloads.filter((workload) =>
    Object.entries(labels ?? {}).every(([key, value]) => podOf(workload).metadata.labels[key] === value),
  );

const hasPort = (workload, port) =>
  containersOf(workload).some(({ ports }) =>
    ports?.some(({ name, containerPort }) => name === port || containerPort === port),
  );

function referenceFaults(manifest, manifests, workloads) {
  const { kind, spec } = manifest;
  const fault = (text) => [`${nameOf(manifest)}: ${text}`];
  const exists = (wanted, name) => manifests.some((one) => one.kind === wanted && one.metadata.name === name);
  switch (kind) {
    case 'Service': {
      const pods = selected(workloads, spec.selector);
      if (pods.length === 0) return fault('selects nothing');
      return spec.ports.flatMap(({ targetPort }) =>
        pods.every((pod) => hasPort(pod, targetPort)) ? [] : fault(`no port ${targetPort} in its pods`),
      );
    }
    case 'Deployment':
    case 'StatefulSet': {
      const own = selected([manifest], spec.selector.matchLabels).length === 1;
      const alone = selected(workloads, spec.selector.matchLabels).length === 1;
      const account = podOf(manifest).spec.serviceAccountName;
      return [
        ...(own && alone ? [] : fault('its selector is not its own')),
        ...(account === undefined || exists('ServiceAccount', account) ? [] : fault(`no account ${account}`)),
        ...(kind === 'Deployment' || exists('Service', spec.serviceName)
          ? []
          : fault('no Service names its pods')),
      ];
    }
    case 'CiliumEgressGatewayPolicy': {
      const { 'io.kubernetes.pod.namespace': _, ...labels } = spec.selectors[0].podSelector.matchLabels;
      return selected(workloads, labels).length === 1 ? [] : fault('selects not one pool');
    }
    case 'PodDisruptionBudget':
    case 'NetworkPolicy': {
      const labels = (spec.selector ?? spec.podSelector).matchLabels;
      return selected(workloads, labels).length > 0 ? [] : fault('selects nothing');
    }
    case 'HorizontalPodAutoscaler':
    case 'ScaledObject':
      return exists(spec.scaleTargetRef.kind, spec.scaleTargetRef.name) &&
        workloads.every(
          ({ metadata, spec: own }) =>
            metadata.name !== spec.scaleTargetRef.name || own.replicas === undefined,
        )
        ? []
        : fault('scales what is not there, or what has its own number of replicas');
    case 'Ingress':
      return spec.rules.flatMap(({ host, http }) =>
        http.paths.flatMap(({ path, backend: { service } }) => {
          if (host === undefined && !LINKS.has(path)) return fault(`lets ${path} through under every host`);
          const target = manifests.find(
            (one) => one.kind === 'Service' && one.metadata.name === service.name,
          );
          return target?.spec.ports.some(({ name }) => name === service.port.name)
            ? []
            : fault('leads nowhere');
        }),
      );
    default:
      return [];
  }
}

/**
 * Allowed connections on the internal port by the network policies: each needs an egress and an ingress policy. (No
 * policy applies to a pod on the network of its node, whatever its labels.)
 * @returns {Record<string, string[]>} names of services by name
 */
export function allowedCalls(manifests, services) {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
  const pods = new Map(
    services.map((service) => [
      service,
      manifests.find((one) => WORKLOADS.has(one.kind) && one.metadata.labels[COMPONENT] === service)?.spec
        .template,
    ]),
  );
  const lets = (service, direction, peerKey, other) =>
    policies
      .filter(
        ({ spec }) => spec.policyTypes.includes(direction) && covers(spec.podSelector, pods.get(service)),
      )
      .flatMap(({ spec }) => spec[direction.toLowerCase()] ?? [])
      .some(
        (rule) =>
          (rule.ports === undefined || rule.ports.some(({ port }) => port === 'inside' || port === 8090)) &&
          (rule[peerKey] === undefined ||
            rule[peerKey].some(
              (peer) =>
                peer.podSelector && !peer.namespaceSelector && covers(peer.podSelector, pods.get(other)),
            )),
      );
  const isIsolated = (service, direction) =>
    policies.some(
      ({ spec }) => spec.policyTypes.includes(direction) && covers(spec.podSelector, pods.get(service)),
    );
  const may = (from, to) =>
    (!isIsolated(from, 'Egress') || lets(from, 'Egress', 'to', to)) &&
    (!isIsolated(to, 'Ingress') || lets(to, 'Ingress', 'from', from));
  return Object.fromEntries(
    services.map((from) => [from, services.filter((to) => to !== from && may(from, to)).toSorted()]),
  );
}

const covers = (selector, pod) =>
  Object.entries(selector.matchLabels ?? {}).every(([key, value]) => pod?.metadata.labels[key] === value);

// @ts-check
// NetworkPolicies as rules of nftables, in the way of a network plugin: what a pod may send and what it may get are decided by
// one base chain each, and a connection needs both. Established connections continue, and the node of a pod always reaches it.

/**
 * @typedef {{ name: string, ip: string, labels: Record<string, string>, ports: { name: string, containerPort: number }[] }} Endpoint a pod
 * @typedef {{ podSelector?: any, namespaceSelector?: any, ipBlock?: { cidr: string, except?: string[] } }} Peer
 * @typedef {{ port?: string | number, endPort?: number, protocol?: string }} Port
 */

/**
 * @param {any} selector @param {Record<string, string> | undefined} labels
 * @returns {boolean} whether all its labels are there. @throws Error for expressions, which the chart has none of
 */
export function selects(selector, labels = {}) {
  if (selector?.matchExpressions !== undefined) throw new Error('expressions of selectors are not read');
  return Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
}

/**
 * @param {any[]} policies manifests of the kind NetworkPolicy, all of one namespace
 * @param {readonly Endpoint[]} pods of that namespace
 * @param {{ node: string, namespace: Record<string, string> }} about `node`: address from which probes come; labels of the namespace
 * @returns {string} a table for `nft -f`, which replaces the one before
 */
export function policyRules(policies, pods, { node, namespace }) {
  /** @param {'Ingress' | 'Egress'} direction @param {string} address the one of the pod itself @param {string} peer */
  const chainsOf = (direction, address, peer) => {
    const isolated = pods.flatMap((pod, nth) => {
      const own = policies.filter(
        ({ spec }) => spec.policyTypes.includes(direction) && selects(spec.podSelector, pod.labels),
      );
      if (own.length === 0) return [];
      const rules = own.flatMap(({ spec }) => spec[direction.toLowerCase()] ?? []);
      const lines = rules.flatMap((rule) => linesOf(rule, { direction, peer, pod, pods, namespace }));
      return [{ name: `${direction.toLowerCase()}_${nth}`, ip: pod.ip, lines: [...new Set(lines)] }];
    });
    const targets = isolated.map(({ name, ip }) => `${ip} : goto ${name}`).join(', ');
    return [
      ...isolated.map(({ name, lines }) => chain(name, [...lines, 'drop'])),
      chain(direction.toLowerCase(), [
        `type filter hook forward priority ${direction === 'Egress' ? 0 : 10}; policy accept;`,
        'ct state established,related accept',
        `ip saddr ${node} accept`,
        ...(targets === '' ? [] : [`ip ${address} vmap { ${targets} }`]),
      ]),
    ];
  };
  const chains = [...chainsOf('Egress', 'saddr', 'daddr'), ...chainsOf('Ingress', 'daddr', 'saddr')];
  return table('policies', chains);
}

/** @param {string} name @param {readonly string[]} lines */
export const chain = (name, lines) => `chain ${name} {\n  ${lines.join('\n  ')}\n}`;

/** In one transaction, in place of the table of that name. @param {string} name @param {readonly string[]} chains */
export const table = (name, chains) =>
  `table ip ${name} {}\ndelete table ip ${name}\ntable ip ${name} {\n${chains.join('\n')}\n}\n`;

/** Lines that accept. @param {any} rule @param {{ direction: string, peer: string, pod: Endpoint, pods: readonly Endpoint[], namespace: Record<string, string> }} about */
function linesOf(rule, { direction, peer, pod, pods, namespace }) {
  /** @type {Peer[] | undefined} */
  const peers = direction === 'Ingress' ? rule.from : rule.to;
  const isAll = peers === undefined || peers.length === 0;
  const known = isAll ? pods : peers.flatMap((one) => podsOf(one, pods, namespace));
  const blocks = isAll ? [''] : peers.flatMap((one) => blockOf(one, peer));
  /** @type {Port[]} */
  const ports = rule.ports ?? [{}];
  return ports.flatMap((port) => {
    // a name is a port of the pod that is connected to
    const isFarName = typeof port.port === 'string' && direction === 'Egress';
    const toPods = (isAll && !isFarName ? [] : known).flatMap((other) => {
      const match = portMatch(port, direction === 'Ingress' ? pod : other);
      return match === undefined ? [] : [`ip ${peer} ${other.ip} ${match}accept`];
    });
    const match = portMatch(port, pod);
    const toBlocks = match === undefined || isFarName ? [] : blocks.map((block) => `${block}${match}accept`);
    return [...toPods, ...toBlocks];
  });
}

/** @param {Peer} peer @param {readonly Endpoint[]} pods @param {Record<string, string>} namespace */
function podsOf({ podSelector, namespaceSelector, ipBlock }, pods, namespace) {
  if (ipBlock !== undefined) return [];
  if (namespaceSelector !== undefined && !selects(namespaceSelector, namespace)) return [];
  return pods.filter(({ labels }) => selects(podSelector, labels));
}

/** @param {Peer} peer @param {string} address @returns {string[]} a match, none for IPv6 and for pods */
function blockOf({ ipBlock }, address) {
  if (ipBlock === undefined || ipBlock.cidr.includes(':')) return [];
  const except = (ipBlock.except ?? []).filter((cidr) => !cidr.includes(':'));
  const without = except.length === 0 ? '' : `ip ${address} != { ${except.join(', ')} } `;
  // nft reads /0 as no match at all
  return [`${ipBlock.cidr === '0.0.0.0/0' ? '' : `ip ${address} ${ipBlock.cidr} `}${without}`];
}

/** @param {Port} port @param {Endpoint} target @returns {string | undefined} none: the target has no port of this name */
function portMatch({ port, endPort, protocol = 'TCP' }, target) {
  if (port === undefined) return '';
  const number =
    typeof port === 'number' ? port : target.ports.find(({ name }) => name === port)?.containerPort;
  if (number === undefined) return undefined;
  return `${protocol.toLowerCase()} dport ${number}${endPort === undefined ? '' : `-${endPort}`} `;
}

// @ts-check
// The machine of the figures (without it they mean nothing), and the figures as text. The JSON holds more.
import { closeSync, fdatasyncSync, openSync, readFileSync, statfsSync, writeSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { ratio, round } from './figures.rules.mjs';
import { signatureMicros } from './cpu.mjs';
import { firstLine, makeFolder, removeFolder } from '../tools/processes.mjs';

/** @type {Record<number, string>} */
const FILE_SYSTEMS = {
  0xef53: 'ext4',
  0x58465342: 'xfs',
  0x9123683e: 'btrfs',
  0x01021994: 'tmpfs',
  0x794c7630: 'overlay',
};

/** @param {string} folder on the disk that the runs will use @returns {Record<string, any>} */
export function machineFacts(folder) {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memory_gib: round(totalmem() / 2 ** 30, 1),
    kernel: `${type()} ${release()}`,
    file_system: FILE_SYSTEMS[statfsSync(folder).type] ?? `type ${statfsSync(folder).type.toString(16)}`,
    load_average_before: round(loadavg()[0], 2),
    ...paceIn(folder),
  };
}

/**
 * The pace of the machine at this moment, for each figure: other load and its host change it from minute to minute.
 * @returns {{ rsa2048_signatures_per_second: number, fdatasyncs_per_second: number, load_average: number }} signatures
 *   of one processor, by its CPU time; syncs of 8 KiB, by the clock
 */
export function machinePace() {
  const folder = makeFolder('pace');
  try {
    return { ...paceIn(folder, 200), load_average: round(loadavg()[0], 2) };
  } finally {
    removeFolder(folder);
  }
}

const paceIn = (/** @type {string} */ folder, ms = 500) => ({
  rsa2048_signatures_per_second: round(1e6 / signatureMicros()),
  fdatasyncs_per_second: syncsPerSecond(folder, ms),
});

/** Least cost of a commit: 8 KiB written repeatedly, each made durable. */
function syncsPerSecond(folder, ms = 500) {
  const file = openSync(join(folder, 'sync-probe'), 'w');
  try {
    const block = Buffer.alloc(8192, 1);
    const start = performance.now();
    let count = 0;
    for (; performance.now() - start < ms; count += 1) {
      writeSync(file, block, 0, block.length, 0);
      fdatasyncSync(file);
    }
    return round((count / (performance.now() - start)) * 1000);
  } finally {
    closeSync(file);
  }
}

/** @param {string} root of the checkout @returns {Record<string, any>} */
export function versionFacts(root) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    postmesh: manifest.version,
    commit: firstLine('git', ['-C', root, 'rev-parse', '--short', 'HEAD']),
    changed_since: firstLine('git', ['-C', root, 'status', '--porcelain', '--untracked-files=no']) !== null,
    node: process.version,
    openssl: process.versions.openssl,
  };
}

/**
 * All results of a run of the bench; absent parts were not run.
 * @typedef {object} Report
 * @property {Record<string, any>} machine
 * @property {Record<string, any>} versions
 * @property {Record<string, any>[]} accept part (a)
 * @property {Record<string, any>} [deliver] part (b)
 * @property {Record<string, Record<string, any>>} relay part (c): postmesh, unsigned, signed
 * @property {Record<string, any>} [auth] part (d)
 * @property {Record<string, any>} [statistics] part (e)
 * @property {Record<string, any>} [large] part (f)
 * @property {Record<string, any>[]} sends part (g)
 * @property {Record<string, any>} [list] part (h)
 * @property {Record<string, any>} [search] part (r)
 * @property {Record<string, any>} [claims] part (j)
 * @property {Record<string, any>} [fair] part (i)
 * @property {Record<string, any>} [fairCampaign] part (i) during a campaign
 * @property {Record<string, any>} [webhooks] part (k)
 * @property {Record<string, any>} [submit] part (l)
 * @property {Record<string, any>} [contacts] part (m)
 * @property {Record<string, any>} [campaigns] part (n)
 * @property {Record<string, any>} [scale] part (o)
 * @property {Record<string, any>} [speed] part (p)
 * @property {Record<string, any>} [idle] part (q)
 * @property {Record<string, number | null>} ratios
 * @property {{ part: string, reason: string }[]} skipped
 * @property {{ part: string, reason: string }[]} failures
 */

/** @param {Pick<Report, 'relay' | 'auth'> & Partial<Pick<Report, 'sends' | 'submit' | 'campaigns' | 'speed'>>} report @returns {Record<string, number | null>} */
export function ratiosOf({ relay, auth, submit, campaigns, speed, sends = [] }) {
  const ours = relay.postmesh?.messages_per_second;
  /** @param {Record<string, any> | undefined} run @returns {number | undefined} */
  const cpu = (run) => run && Object.values(run.cpu_seconds_per_1000).reduce((sum, part) => sum + part, 0);
  return {
    messages_per_second_to_signed_postfix: ratio(ours, relay.signed?.messages_per_second),
    messages_per_second_to_unsigned_postfix: ratio(ours, relay.unsigned?.messages_per_second),
    cpu_per_message_to_signed_postfix: ratio(cpu(relay.postmesh), cpu(relay.signed)),
    cpu_per_message_to_unsigned_postfix: ratio(cpu(relay.postmesh), cpu(relay.unsigned)),
    ...auth?.ratios,
    ...Object.assign({}, ...sends.map(({ ratios }) => ratios)),
    ...submit?.ratios,
    ...campaigns?.ratios,
    ...speed?.ratios,
  };
}

/** @param {Report} report @returns {string} */
export function renderReport(report) {
  const {
    machine,
    versions,
    accept,
    deliver,
    relay,
    auth,
    statistics,
    list,
    search,
    claims,
    fair,
    fairCampaign,
    webhooks,
    large,
    submit,
    contacts,
    campaigns,
    scale,
    speed,
    idle,
    sends = [],
    ratios,
    skipped,
    failures,
  } = report;
  const parts = [machineLines(machine, versions)];
  if (accept.length > 0) parts.push(table('(a) accepted over HTTP', ACCEPT_COLUMNS, accept));
  if (deliver) parts.push(deliverLines(deliver));
  const cold = relay.postmesh?.cold && { name: 'Postmesh, its first messages', ...relay.postmesh.cold };
  const relayed = [...Object.values(relay), ...(cold ? [cold] : [])];
  if (relayed.length > 0) parts.push(table('(c) first submission to last delivery', RELAY_COLUMNS, relayed));
  if (auth) parts.push(authLines(auth));
  if (statistics) parts.push(statisticsLines(statistics));
  if (large) parts.push(largeLines(large));
  sends.forEach((part) => parts.push(sendsLines(part)));
  if (list) parts.push(listLines(list));
  if (search) parts.push(searchLines(search));
  if (claims) parts.push(claimsLines(claims));
  if (fair) parts.push(table(`(i) ${fair.name}`, FAIR_COLUMNS, fair.runs));
  if (fairCampaign) parts.push(table(`(i) ${fairCampaign.name}`, FAIR_COLUMNS, fairCampaign.runs));
  if (webhooks) parts.push(webhookLines(webhooks));
  if (submit) parts.push(submitLines(submit));
  if (contacts) parts.push(contactLines(contacts));
  if (campaigns) parts.push(campaignLines(campaigns));
  if (scale) parts.push(table(`(o) ${scale.name}`, SCALE_COLUMNS, scale.runs));
  if (speed) parts.push(speedLines(speed));
  if (idle) parts.push(idleLines(idle));
  const known = Object.entries(ratios).filter(([, value]) => value !== null);
  if (known.length > 0) {
    parts.push(
      `ratios, ours / theirs\n${known.map(([name, value]) => line(name.replaceAll('_', ' '), value)).join('')}`,
    );
  }
  skipped.forEach(({ part, reason }) => parts.push(`skipped: ${part}: ${reason}\n`));
  speed?.skipped?.forEach(({ part, reason }) => parts.push(`left out: ${part}: ${reason}\n`));
  failures.forEach(({ part, reason }) => parts.push(`FAILED: ${part}: ${reason}\n`));
  return parts.join('\n');
}

const ms = (times) => (times ? `${times.p50} / ${times.p99}` : '-');
const cpuOf = (parts) =>
  Object.entries(parts)
    .map(([part, seconds]) => `${part} ${seconds ?? '-'}`)
    .join(', ');

const ACCEPT_COLUMNS = {
  run: (row) => row.name,
  'requests/s': (row) => row.requests_per_second,
  'recipients/s': (row) => row.recipients_per_second,
  'p50 / p99 ms': (row) => ms(row.answer_ms),
  'delivered meanwhile': (row) => row.delivered_meanwhile,
  'CPU s per 1,000 recipients': (row) => cpuOf(row.cpu_seconds_per_1000_recipients),
};

const SCALE_COLUMNS = {
  workers: (row) => row.workers,
  messages: (row) => row.messages,
  'messages/s': (row) => row.messages_per_second,
  'of linear': (row) => row.of_linear,
};

const RELAY_COLUMNS = {
  run: (row) => row.name,
  messages: (row) => row.messages,
  seconds: (row) => row.seconds,
  'messages/s': (row) => row.messages_per_second,
  'CPU s per 1,000': (row) => cpuOf(row.cpu_seconds_per_1000),
  MiB: (row) => row.memory_mib,
};

function machineLines(machine, versions) {
  const busy = machine.load_average_before > 0.5 * machine.cores ? ' (others were busy on it)' : '';
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memory_gib} GiB, ${machine.kernel}, ${machine.file_system}`,
    `${machine.rsa2048_signatures_per_second} RSA-2048 signatures/s, ${machine.fdatasyncs_per_second} fdatasyncs/s, load average before ${machine.load_average_before}${busy}`,
    Object.entries(versions)
      .filter(([, value]) => value !== null && typeof value !== 'object')
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
    '',
  ].join('\n');
}

function deliverLines(run) {
  const { backlog, memory_peak_mib: memory } = run;
  const at = backlog.at.map(({ second, messages }) => `${second} s: ${messages}`).join(', ');
  return [
    `(b) ${run.name}\n`,
    line('accepted/s', run.accepted_per_second),
    line('delivered/s while it lasted', run.delivered_per_second),
    line('answer p50 / p99 ms', ms(run.answer_ms)),
    line('202 to 250 p50 / p99 ms', ms(run.accepted_to_delivered_ms)),
    line(
      'backlog',
      `${backlog.verdict} (${backlog.slope_per_second ?? '-'} messages/s); ${at || 'run too short for marks'}`,
    ),
    line('drained after', `${run.drained_after_s} s`),
    line('undelivered, twice, unsigned', `${run.undelivered}, ${run.duplicates}, ${run.unsigned}`),
    line('peak MiB', `postmesh ${memory.postmesh ?? '-'}, postgres ${memory.postgres ?? '-'}`),
    line('CPU s per 1,000', cpuOf(run.cpu_seconds_per_1000)),
    ...(run.cold ? [line('the same, of its first messages', cpuOf(run.cold.cpu_seconds_per_1000))] : []),
    line(
      'connections to the sink, with TLS',
      `${run.connections_to_sink.all}, ${run.connections_to_sink.tls}`,
    ),
  ].join('');
}

const READ_COLUMNS = {
  read: (row) => row.name,
  'full p50 / p99 ms': (row) => ms(row.full_ms),
  'empty p50 / p99 ms': (row) => ms(row.empty_ms),
  'full / empty': (row) => row.ratio_p50 ?? '-',
  KiB: (row) => row.response_kib,
};

function statisticsLines(run) {
  const { fairness } = run;
  const { read_ms: read, counted_after_s: counted } = fairness.quiet_account;
  const title = `(e) statistics: ${run.messages} messages of a year to ${run.recipient_domains} domains, and an account without`;
  return [
    table(title, READ_COLUMNS, run.reads),
    line('generated, summed up', `${run.generated_s} s, ${run.rolled_up_s} s`),
    ...Object.entries(run.tables).map(([name, { rows, mib }]) => line(name, `${rows} rows, ${mib} MiB`)),
    line('facts folded per second', fairness.folded_per_second),
    line('quiet account, read alone, during the load', `${ms(read.alone)}, ${ms(read.during)} ms`),
    line('quiet account, counted alone, during the load', `${counted.alone}, ${counted.during} s`),
  ].join('');
}

const SEND_COLUMNS = {
  run: (row) => row.name,
  messages: (row) => row.messages,
  'messages/s': (row) => row.messages_per_second,
  'to plain': (row) => row.ratio_to_plain,
  'CPU s per 1,000': (row) => cpuOf(row.cpu_seconds_per_1000),
};

function sendsLines(part) {
  const title = `(g) ${part.name}: first request to last delivery`;
  return table(title, SEND_COLUMNS, [...part.runs, part.libraries]);
}

function largeLines(run) {
  const { memory_before_mib: before, memory_peak_mib: peak, small_messages: small } = run;
  return [
    `(f) ${run.name}\n`,
    line('accepted, delivered', `${run.accepted}, ${run.delivered}; ${JSON.stringify(run.other_answers)}`),
    line('all accepted, all delivered after', `${run.accepted_after_s}, ${run.delivered_after_s} s`),
    line('MiB of Postmesh before, at most', `${before.postmesh ?? '-'}, ${peak.postmesh ?? '-'}`),
    line('MiB of PostgreSQL before, at most', `${before.postgres ?? '-'}, ${peak.postgres ?? '-'}`),
    line('small message alone, during the large ones, ms', `${ms(small.alone_ms)}, ${ms(small.during_ms)}`),
  ].join('');
}

const LIST_COLUMNS = {
  filter: (row) => row.name,
  found: (row) => row.found,
  'full p50 / p99 ms': (row) => ms(row.full_ms),
  'small p50 / p99 ms': (row) => ms(row.small_ms),
  'full / small': (row) => row.ratio_p50 ?? '-',
};

function listLines(run) {
  const { concurrent_searches: searches, read_ms: read } = run.neighbour;
  return [
    table(`(h) lists: ${run.messages} messages, and an account with ten`, LIST_COLUMNS, run.reads),
    line('generated, indexed', `${run.generated_s} s, ${run.indexed_s} s`),
    ...Object.entries(run.tables).map(([name, { rows, mib }]) => line(name, `${rows} rows, ${mib} MiB`)),
    line(`small account, alone, during ${searches} searches`, `${ms(read.alone)}, ${ms(read.during)} ms`),
  ].join('');
}

const SEARCH_COLUMNS = {
  search: (row) => row.name,
  found: (row) => `${row.found}${row.goes_on ? ', continues' : ''}`,
  'p50 / p95 ms': (row) => `${row.ms?.p50} / ${row.ms?.p95}`,
  'CPU ms': (row) => round(row.cpu_ms.postmesh + row.cpu_ms.postgres, 1),
  aim: (row) => (row.is_within ? 'kept' : 'MISSED'),
};

function searchLines(run) {
  const { messages, of_the_account: own, aim_ms: aim } = run;
  return [
    table(
      `(r) search: ${messages} messages, ${own} of the account; aim: p95 <= ${aim} ms`,
      SEARCH_COLUMNS,
      run.reads,
    ),
    line('generated, indexed', `${run.generated_s} s, ${run.indexed_s} s`),
    line('rows of large tables that plans scanned', run.rows_scanned),
  ].join('');
}

const CLAIM_COLUMNS = {
  ready: (row) => row.rows,
  'places free': (row) => row.free,
  'claimed each': (row) => row.rows_per_claim,
  pages: (row) => row.pages,
  'CPU ms': (row) => row.cpu_ms,
  'p50 / p99 ms': (row) => ms(row.ms),
};

function claimsLines(run) {
  const rows = run.sizes.flatMap(({ rows: ready, claims }) => claims.map((of) => ({ rows: ready, ...of })));
  return [
    table(`(j) ${run.name}`, CLAIM_COLUMNS, rows),
    ...run.sizes.map(({ rows: ready, filled_s: filled, ripened_us_per_row: ripened }) =>
      line(`${ready} rows filled, ripened`, `${filled} s, ${ripened} us each`),
    ),
    line('pages, many / few, by places free', JSON.stringify(run.ratio_pages)),
  ].join('');
}

const FAIR_COLUMNS = {
  attack: (row) => row.name,
  'messages of the attack': (row) => row.attack_messages,
  '202 to 250 p50 / p99 ms': (row) => ms(row.accepted_to_delivered_ms),
  alone: (row) => ms(row.alone_ms),
  'request to 202 p50 / p99 ms': (row) => ms(row.accept_ms),
  'alone ': (row) => ms(row.accept_alone_ms),
  'of them delivered': (row) => `${row.delivered} of ${row.sent}`,
  'delivered meanwhile': (row) => row.delivered_meanwhile,
  'a second': (row) => row.delivered_per_second,
};

const WEBHOOK_COLUMNS = {
  endpoints: (row) => row.endpoints,
  events: (row) => row.events,
  'events/s': (row) => row.events_per_second,
  'p50 / p99 ms': (row) => ms(row.published_to_received_ms),
};

/** @param {Record<string, any>} run */
function webhookLines(run) {
  const { name, runs, with_silent_hosts: silent, kept } = run;
  const { hosts, calls, alone_ms: alone, during_ms: during } = silent;
  const title = `of another account during ${calls} calls to ${hosts} silent hosts, alone`;
  const bytes = `${kept.webhook_attempts.bytes_per_row}, ${kept.ended_deliveries.bytes_per_row} bytes`;
  return [
    table(`(k) ${name}`, WEBHOOK_COLUMNS, runs),
    line(title, `${ms(during)}, ${ms(alone)} ms`),
    line('an attempt, an ended delivery', bytes),
    line(`${kept.rows} of each forgotten in`, `${kept.forgotten_ms} ms`),
  ].join('');
}

const SUBMIT_COLUMNS = {
  server: (row) => row.name,
  'messages/s': (row) => row.messages_per_second,
  'p50 / p99 ms': (row) => ms(row.answer_ms),
  'CPU s per 1,000': (row) => cpuOf(row.cpu_seconds_per_1000),
};

/** @param {Record<string, any>} run */
function submitLines({ name, connections, postmesh, postfix, skipped }) {
  const rows = [
    { name: 'Postmesh', ...postmesh },
    ...(postfix ? [{ name: 'Postfix smtpd', ...postfix }] : []),
  ];
  const title = `(l) ${name}, ${connections} connections${skipped ? ` (no Postfix: ${skipped})` : ''}`;
  return table(title, SUBMIT_COLUMNS, rows);
}

const CONTACT_READ_COLUMNS = {
  read: (row) => row.name,
  'full p50 / p99 ms': (row) => ms(row.full_ms),
  'small p50 / p99 ms': (row) => ms(row.small_ms),
  'full / small': (row) => row.ratio_p50 ?? '-',
  KiB: (row) => row.response_kib,
};

const CONTACT_BATCH_COLUMNS = {
  'batch of 1,000': (row) => row.name,
  statements: (row) => row.statements,
  'full p50 / p99 ms': (row) => ms(row.full_ms),
  'small p50 / p99 ms': (row) => ms(row.small_ms),
  'full / small': (row) => row.ratio_p50 ?? '-',
};

/** @param {Record<string, any>} run */
function contactLines(run) {
  return [
    table(`(m) ${run.contacts} ${run.name}`, CONTACT_READ_COLUMNS, run.reads),
    table('  ', CONTACT_BATCH_COLUMNS, run.batches),
    line('contact_count exact, before and after a change', run.counts_exact ? 'yes' : 'NO'),
    line('generated', `${run.generated_s} s`),
    ...Object.entries(run.tables).map(([name, { rows, mib }]) => line(name, `${rows} rows, ${mib} MiB`)),
  ].join('');
}

const CAMPAIGN_COLUMNS = {
  sender: (row) => row.name,
  recipients: (row) => row.recipients,
  'until the first': (row) => `${row.first_after_s} s`,
  'until the last': (row) => `${row.seconds} s`,
  'recipients/s': (row) => row.recipients_per_second,
  twice: (row) => row.duplicates,
  'CPU s per 1,000': (row) => cpuOf(row.cpu_seconds_per_1000),
};

/** @param {Record<string, any>} run */
function campaignLines({ name, runs, skipped }) {
  return table(`(n) ${name}${skipped ? ` (no listmonk: ${skipped})` : ''}`, CAMPAIGN_COLUMNS, runs);
}

/** @param {Record<string, any>} run */
const idleLines = ({ name, cpu_ms_per_second: cpu }) =>
  `(q) ${name}\n${line('CPU ms a second: all; Node, PostgreSQL', `${cpu.all}; ${cpu.node}, ${cpu.postgres}`)}`;

function authLines(run) {
  const { with_key: known, same_gateway_without_key: open, plain_fastify: bare } = run;
  const row = ({ requests_per_second: perSecond, answer_ms: times }) => `${perSecond}; ${ms(times)}`;
  return [
    `(d) ${run.name}: requests/s; response p50 / p99 ms\n`,
    line('with a key', row(known)),
    line('same gateway, refused without a key', row(open)),
    line('plain fastify', row(bare)),
    line('a key costs, microseconds of CPU', run.key_us_per_request),
    line('the gateway over plain fastify, us', run.gateway_us_per_request),
    line('database transactions per request', run.database_transactions_per_request),
    line('CPU s per 1,000', cpuOf(run.cpu_seconds_per_1000)),
  ].join('');
}

const line = (name, value) => `  ${name.padEnd(42)} ${value}\n`;

function table(title, columns, rows) {
  const names = Object.keys(columns);
  const cells = [names, ...rows.map((row) => names.map((name) => String(columns[name](row) ?? '-')))];
  const widths = names.map((_, index) => Math.max(...cells.map((row) => row[index].length)));
  const aligned = cells.map(
    (row) =>
      `  ${row
        .map((cell, index) => cell.padEnd(widths[index]))
        .join('  ')
        .trimEnd()}\n`,
  );
  return `${title}\n${aligned.join('')}`;
}

/** Shows progress on stderr. @param {string} text @returns {boolean} */
export const progress = (text) => process.stderr.write(`${text}\n`);

/** @param {number} start milliseconds @returns {number} */
export const secondsSince = (start) => round((Date.now() - start) / 1000);

const SPEED_COLUMNS = {
  system: (row) => row.name,
  'messages/s': (row) => row.messages_per_second,
  'us CPU': (row) => row.cpu_us.all,
  least: (row) => row.least_us ?? '-',
  'but the signature': (row) => row.cpu_us.rest ?? '-',
  'main thread': (row) => row.cpu_us.threads?.main ?? '-',
  'other threads': (row) => (row.cpu_us.threads ? row.cpu_us.node - row.cpu_us.threads.main : '-'),
  PostgreSQL: (row) => row.cpu_us.postgres ?? '-',
  'answer p50 / p99 ms': (row) => ms(row.answer_ms),
  '202 to 250': (row) => ms(row.accepted_to_delivered_ms),
};

/** @param {Record<string, any>} run */
function speedLines({ name, rate, rounds, systems, memory, profile }) {
  const loads = [...new Set(systems.flatMap((system) => Object.keys(system.loads)))];
  const title = (load) => `(p) ${name}: ${load === 'rate' ? `${rate}/s` : load}, median of ${rounds}`;
  const rowsOf = (load) =>
    systems.flatMap((system) => (system.loads[load] ? [{ name: system.name, ...system.loads[load] }] : []));
  const cold = systems.flatMap((system) => (system.cold ? [{ name: system.name, ...system.cold }] : []));
  return [
    table(`(p) ${name}: cold burst`, SPEED_COLUMNS, cold),
    ...loads.map((load) => table(title(load), SPEED_COLUMNS, rowsOf(load))),
    ...memory.map((one) => line(`MiB, ${one.name}`, `postmesh ${one.postmesh}, postgres ${one.postgres}`)),
    ...(profile ? [sharesLines(profile)] : []),
  ].join('\n');
}

/** @param {import('./profile.rules.mjs').Profile} profile of Node, without PostgreSQL */
function sharesLines({ samples, modules, functions }) {
  const lines = (/** @type {[string, number][]} */ shares) =>
    shares.map(([name, share]) => line(name, `${round(share * 100, 1)} %`)).join('');
  return `CPU of Node in a burst, ${samples} samples, by module\n${lines(modules)}\nby function\n${lines(functions)}`;
}

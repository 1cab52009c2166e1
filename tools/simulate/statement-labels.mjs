// @ts-check
// Names of statements for the trace.

/** @type {readonly (readonly [RegExp, string])[]} */
const LABELS = [
  [/^with walked as/, 'claims'],
  [/^with due as/, 'sweeps'],
  [/^with abandoned as/, 'frees rows of dead workers'],
  [/^insert into workers/, 'beats'],
  [/^select id, process from workers/, 'looks for silent workers'],
  [/^delete from workers/, 'signs off'],
  [/^delete from (?:webhook_)?deliveries q using/, 'ends rows'],
  [/^update (?:webhook_)?deliveries q set group_key/, 'releases rows'],
  [/^update (?:webhook_)?deliveries set leased_until/, 'renews leases'],
  [/^update (?:webhook_)?deliveries set state = 'waiting', attempts/, 'gives rows back'],
  [
    /^select from (?:webhook_)?deliveries where id = \$1 and lease_token/,
    'looks whether others hold the row',
  ],
  [/^with (?:floods|claimed) as/, 'inserts rows'],
  [/^insert into inbox/, 'marks events as handled'],
  [/^insert into account_states/, 'writes states of accounts'],
  [/\.append\(/, 'appends events'],
  [/^with wanted as .* known as/, 'claims keys'],
  [/^with wanted as .* free as/, 'claims keys of ended runs'],
  [/^with ended as .* update idempotency/, 'stores responses'],
  [/^delete from idempotency where account_id/, 'releases a key'],
  [/^delete from idempotency record/, 'forgets an entry'],
  [/^insert into idempotency as record .*'epoch'/, 'gives a key up'],
  [/^insert into idempotency as record/, 'enters a key'],
  [/^insert into effects/, 'makes its effect'],
  [/pg_try_advisory_lock\(727004/, 'asks for the turn of its group'],
  [/^select pg_terminate_backend\(a\.pid\)/, 'ends a silent reader'],
  [/^select wanted\.stream, found\.position/, 'reads events'],
  [/^insert into \w+\.groups/, 'writes positions of its group'],
  [/^insert into bus_positions/, 'reads its positions'],
  [/^update bus_positions p set position/, 'moves its positions'],
  [/^with lazily as .* update bus_positions/, 'moves its positions over events of others'],
  [/^with bounds as .* delete from \w+\.log/, 'trims the log'],
  [/^insert into event_crashes/, 'notes events in flight'],
  [/^delete from event_crashes/, 'ends notes of events'],
  [/^insert into dead_letters/, 'writes dead letters'],
  [/pg_try_advisory_lock\(/, 'marks its process'],
];

/** @param {string} text */
export function labelOf(text) {
  const plain = text.replaceAll(/\s+/g, ' ').trim();
  return LABELS.find(([pattern]) => pattern.test(plain))?.[1] ?? plain.slice(0, 60);
}

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
  [/^delete from deliveries q using/, 'ends rows'],
  [/^update deliveries q set group_key/, 'releases rows'],
  [/^update deliveries set leased_until/, 'renews leases'],
  [/^update deliveries set state = 'waiting', attempts/, 'gives rows back'],
  [/^select from deliveries where id = \$1 and lease_token/, 'looks whether others hold the row'],
  [/^with (?:floods|claimed) as/, 'inserts rows'],
  [/^insert into inbox/, 'marks events as handled'],
  [/^insert into account_states/, 'writes states of accounts'],
  [/\.append\(/, 'appends events'],
];

/** @param {string} text */
export function labelOf(text) {
  const plain = text.replaceAll(/\s+/g, ' ').trim();
  return LABELS.find(([pattern]) => pattern.test(plain))?.[1] ?? plain.slice(0, 60);
}

/** Brokers that were given to this run, e.g. by `node tools/real/kafka.mjs start`. */
export const kafkaBrokers = process.env['KAFKA_BROKERS'];

const isRequired = process.env['CI'] === 'true' && process.env['POSTMESH_REQUIRE_REAL'] === '1';

/** Says loudly what a run without brokers leaves out. @throws where a run without them is not allowed */
export function leaveOutKafka(what: string): void {
  console.warn(`NOT RUN: ${what}; set KAFKA_BROKERS (node tools/real/kafka.mjs start)`);
  if (isRequired) throw new Error('CI=true and POSTMESH_REQUIRE_REAL=1, but KAFKA_BROKERS is not set');
}

/** Brokers that were given to this run, e.g. by `node tools/real/kafka.mjs start`. */
export const kafkaBrokers = process.env['KAFKA_BROKERS'];

const isRequired = process.env['POSTMESH_TEST_REQUIRES']?.includes('KAFKA_BROKERS') ?? false;

/** Prints the suite that a run without brokers leaves out. @throws where a run requires them */
export function leaveOutKafka(what: string): void {
  console.warn(`NOT RUN: ${what}; set KAFKA_BROKERS (node tools/real/kafka.mjs start)`);
  if (isRequired) throw new Error('this run requires Kafka, and KAFKA_BROKERS is not set');
}

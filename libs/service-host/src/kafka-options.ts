import { readFile } from 'node:fs/promises';
import type { KafkaBusOptions, KafkaLogin } from '@postmesh/events';
import type { Settings } from '@postmesh/settings';

/** Connection options of Kafka from the settings. @throws Error that names the settings which contradict each other */
export async function kafkaOptions(
  settings: Settings,
): Promise<Pick<KafkaBusOptions, 'brokers' | 'prefix' | 'ssl' | 'sasl'>> {
  return {
    brokers: settings.kafkaBrokers,
    prefix: settings.kafkaTopicPrefix,
    ssl: await kafkaTls(settings),
    sasl: kafkaLogin(settings),
  };
}

async function kafkaTls({ kafkaSsl, kafkaCaFile }: Settings): Promise<boolean | { ca: string }> {
  if (kafkaCaFile === undefined) return kafkaSsl;
  if (!kafkaSsl) throw new Error('KAFKA_CA_FILE needs KAFKA_SSL=on');
  const ca = await readFile(kafkaCaFile, 'utf8').catch((error: unknown) => {
    throw new Error(`KAFKA_CA_FILE cannot be read: ${String(error)}`, { cause: error });
  });
  return { ca };
}

function kafkaLogin(settings: Settings): KafkaLogin | undefined {
  const {
    kafkaSaslMechanism: mechanism,
    kafkaSaslUsername: username,
    kafkaSaslPassword: password,
  } = settings;
  if (mechanism === 'none') {
    if (username !== undefined || password !== undefined)
      throw new Error('KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD need KAFKA_SASL_MECHANISM');
    return undefined;
  }
  if (username === undefined || password === undefined)
    throw new Error(`KAFKA_SASL_MECHANISM=${mechanism} needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD`);
  if (mechanism === 'plain' && !settings.kafkaSsl)
    throw new Error('KAFKA_SASL_MECHANISM=plain needs KAFKA_SSL=on: it sends the password as it is');
  return { mechanism, username, password };
}

import { choice, flag, list, text } from './setting.js';

const none = undefined as string | undefined;

/** Connection of the event bus to Kafka. */
export const KAFKA = {
  kafkaBrokers: list({
    env: 'KAFKA_BROKERS',
    description: 'Kafka bootstrap servers, `host:port`.',
    default: [],
    defaultText: 'embedded bus',
  }),
  kafkaSsl: flag({
    env: 'KAFKA_SSL',
    description: 'TLS to the brokers, whose certificates must be valid for the names in `KAFKA_BROKERS`.',
    default: false,
  }),
  kafkaCaFile: text({
    env: 'KAFKA_CA_FILE',
    description: 'Certificates (PEM) of the CAs that are trusted for the brokers; needs `KAFKA_SSL=on`.',
    default: none,
    defaultText: 'the well-known CAs',
  }),
  kafkaSaslMechanism: choice({
    env: 'KAFKA_SASL_MECHANISM',
    description:
      'How the services log in to the brokers, with `KAFKA_SASL_USERNAME` and `KAFKA_SASL_PASSWORD`. `plain` needs `KAFKA_SSL=on`: it sends the password as it is.',
    default: 'none',
    of: ['none', 'plain', 'scram-sha-256', 'scram-sha-512'],
  }),
  kafkaSaslUsername: text({
    env: 'KAFKA_SASL_USERNAME',
    description: 'The login at the brokers.',
    default: none,
  }),
  kafkaSaslPassword: text({
    env: 'KAFKA_SASL_PASSWORD',
    description: 'Its password.',
    default: none,
    secret: true,
  }),
  kafkaTopicPrefix: text({
    env: 'POSTMESH_KAFKA_TOPIC_PREFIX',
    description: 'Put before every topic name, for clusters that are shared.',
    default: 'postmesh.' as string,
  }),
};

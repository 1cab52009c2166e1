import { flag, text, url } from './setting.js';

const none = undefined as string | undefined;

/** Settings of the S3 blob store (POSTMESH_BLOB_STORE=s3). */
export const S3 = {
  s3Endpoint: url({
    env: 'POSTMESH_S3_ENDPOINT',
    description: 'S3 blob store: the server.',
    default: none,
    defaultText: 'Amazon S3 in `POSTMESH_S3_REGION`',
    protocols: ['http:', 'https:'],
  }),
  s3Region: text({
    env: 'POSTMESH_S3_REGION',
    description:
      'S3 blob store: region, which is part of every signature; most other servers accept any value.',
    default: 'us-east-1' as string,
  }),
  s3Bucket: text({
    env: 'POSTMESH_S3_BUCKET',
    description: 'S3 blob store: the bucket; it must exist.',
    default: none,
  }),
  s3AccessKey: text({
    env: 'POSTMESH_S3_ACCESS_KEY',
    description: 'S3 blob store: access key id.',
    default: none,
    defaultText: 'what the machine, container or `AWS_…` variables provide',
  }),
  s3SecretKey: text({
    env: 'POSTMESH_S3_SECRET_KEY',
    description: 'S3 blob store: secret of the access key.',
    default: none,
    secret: true,
  }),
  s3PathStyle: flag({
    env: 'POSTMESH_S3_PATH_STYLE',
    description: 'S3 blob store: the bucket is in the path; `off` = in the host name.',
    default: true,
  }),
  s3Prefix: text({
    env: 'POSTMESH_S3_PREFIX',
    description: 'S3 blob store: prefix of every object name, for shared buckets.',
    default: 'postmesh/content/' as string,
  }),
};

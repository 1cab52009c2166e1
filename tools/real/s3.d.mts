export function startS3(options?: { dir?: string; owned?: boolean; keepData?: boolean }): Promise<{
  env: {
    POSTMESH_S3_ENDPOINT: string;
    POSTMESH_S3_ACCESS_KEY: string;
    POSTMESH_S3_SECRET_KEY: string;
  };
  pid: number;
  stop: () => Promise<void>;
}>;

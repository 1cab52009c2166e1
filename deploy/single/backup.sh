#!/bin/sh
# One backup, as a folder named after its time, to S3. Needs rclone. /etc/postmesh/backup.env:
#   BACKUP_TO=s3:bucket/postmesh
#   RCLONE_CONFIG_S3_TYPE=s3 RCLONE_CONFIG_S3_PROVIDER=… RCLONE_CONFIG_S3_ENDPOINT=… RCLONE_CONFIG_S3_ACCESS_KEY_ID=…
#   RCLONE_CONFIG_S3_SECRET_ACCESS_KEY=…
# The keys of the installation never go to the bucket: keep a copy of postmesh.env and of the file of keys elsewhere.
set -eu
: "${BACKUP_TO:?set it to the place of backups, such as s3:bucket/postmesh}"
name=$(date -u +%Y-%m-%dT%H%M%SZ)
work=$(mktemp -d "${CACHE_DIRECTORY:-${TMPDIR:-/tmp}}/backup.XXXXXX")
trap 'rm -rf "$work"' EXIT
if [ -n "${DATABASE_URL:-}" ]; then
  # a PostgreSQL of your own
  mkdir "$work/$name"
  pg_dump --format=custom --file="$work/$name/database.dump" "$DATABASE_URL"
else
  ${POSTMESH:-./postmesh} backup "$work/$name" --keys "$work/keys.json" >&2
  cp "$work/keys.json" "${BACKUP_KEYS:-${POSTMESH_DATA_DIR:?}/backup-keys-$name.json}"
fi
rclone copy --immutable "$work/$name" "$BACKUP_TO/$name"
rclone check --one-way "$work/$name" "$BACKUP_TO/$name"
echo "$BACKUP_TO/$name"

#!/bin/sh
# Hands the certificate of the SMTP ports from Caddy to Postmesh, and restarts Postmesh when it is another one. Once a day, as root:
#   smtp-certificate.sh <host> <folder of Caddy's data> <user of Postmesh> <folder> <command that restarts Postmesh …>
#   smtp-certificate.sh mx.mail.example.com /var/lib/caddy/.local/share/caddy postmesh /etc/postmesh/tls systemctl restart postmesh
set -eu
host=$1 caddy=$2 user=$3 to=$4
shift 4
cert=$(find "$caddy/certificates" -path "*/$host/$host.crt" | head -n 1)
[ -n "$cert" ] || { echo "Caddy has no certificate for $host yet" >&2; exit 1; }
mkdir -p "$to"
cmp -s "$cert" "$to/smtp.crt" && exit 0
# the key first: Postmesh reads both at its start
install -o "$user" -g "$(id -gn "$user")" -m 0400 "${cert%.crt}.key" "$to/smtp.key"
install -o "$user" -g "$(id -gn "$user")" -m 0444 "$cert" "$to/smtp.crt"
"$@"

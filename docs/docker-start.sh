#!/bin/sh
# Runs in the container before n8n: links the package of the image into n8n's folder, in the place of whatever is there,
# then goes on as the official image does.
set -e

package=n8n-nodes-health-data-service
modules="${N8N_USER_FOLDER:-$HOME}/.n8n/nodes/node_modules"

mkdir -p "$modules"
rm -rf "${modules:?}/$package"
ln -sfn "/opt/$package" "$modules/$package"

exec /docker-entrypoint.sh "$@"

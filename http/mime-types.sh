#!/bin/sh
# Makes src/main/resources/sluice/http/site/mime.types from the npm package mime-db.
# Usage: ./mime-types.sh [VERSION]        needs npm and node, here only: nothing built needs them
set -eu
version=${1:-1.54.0}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent "mime-db@$version" >/dev/null
tar xzf "mime-db-$version.tgz"
node - "$version" >"$here/src/main/resources/sluice/http/site/mime.types.new" <<'SCRIPT'
const db = require(process.cwd() + '/package/db.json');
// Where the registry knows an extension under several names, the one browsers expect.
const chosen = {
  xml: 'application/xml', xsl: 'application/xslt+xml', rtf: 'application/rtf', '3gpp': 'video/3gpp',
  mts: 'video/mp2t', org: 'text/x-org', wav: 'audio/wav', x3db: 'model/x3d+fastinfoset',
};
const extra = { map: 'application/json' };
const rank = (type) =>
  ({ iana: 4, apache: 2, nginx: 1 }[db[type].source] || 0) + (type.startsWith('application/') ? 0 : 0.5);
const best = { ...extra };
for (const type of Object.keys(db).sort()) {
  for (const ext of db[type].extensions || []) {
    if (chosen[ext]) best[ext] = chosen[ext];
    else if (!best[ext] || rank(type) > rank(best[ext])) best[ext] = type;
  }
}
const byType = {};
for (const ext of Object.keys(best).sort()) (byType[best[ext]] ??= []).push(ext);
const compressible = (type) =>
  type !== 'application/octet-stream' &&
  (db[type].compressible ?? /^text\/|\+(json|text|xml)$/.test(type));
console.log(`# Extensions of media types, from mime-db ${process.argv[2]} by http/mime-types.sh: do not edit.
# mime-db is Copyright (c) 2014 Jonathan Ong, (c) 2015-2022 Douglas Christopher Wilson, MIT licence.
# One line a type: the type, + if it is worth compressing or - if not, its extensions.`);
for (const type of Object.keys(byType).sort()) {
  console.log(`${type} ${compressible(type) ? '+' : '-'} ${byType[type].join(' ')}`);
}
SCRIPT
mv "$here/src/main/resources/sluice/http/site/mime.types.new" "$here/src/main/resources/sluice/http/site/mime.types"

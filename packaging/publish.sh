#!/bin/bash
# Makes the artifacts of docs/artifacts.md from the last commit, as a Maven repository in a directory, and
# checks them after the rules of public repositories. It uploads nothing.
#
# The tree is built in a copy, where the group id, the address of the project and its developers take the
# place of those in the tree: published POMs have constants, so that every build tool reads them.
set -euo pipefail
root=$(cd "${0%/*}/.." && pwd -P)

fail() {
  echo "publish: $*" >&2
  exit 1
}

group=sluice url=https://example.org/sluice developer=Sluice key='' output=$root/.sluice/artifacts
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || fail "$1 needs a value. Options: --group, --url, --developer, --sign KEY, --output DIR"
  case $1 in
  --group) group=$2 ;;
  --url) url=$2 ;;
  --developer) developer=$2 ;;
  --sign) key=$2 ;;
  --output) output=$2 ;;
  *) fail "unknown option $1. Options: --group, --url, --developer, --sign KEY, --output DIR" ;;
  esac
  shift 2
done
case $group in
*[!a-z0-9.-]* | '') fail "no group id: $group. Fix: a domain that you can prove to be yours, reversed" ;;
esac

commit=$(git -C "$root" rev-parse HEAD)
modules=$(sed -n 's/^SHIPPED="\(.*\)"$/\1/p' "$root/sluice" | sed 's/ cli$//')
version=$(sed -n 's|^  <version>\(.*\)</version>|\1|p' "$root/pom.xml" | head -n 1)
mkdir -p "$output"
output=$(cd "$output" && pwd -P)
work=$(mktemp -d "${TMPDIR:-/tmp}/sluice-publish.XXXXXX")
trap 'rm -rf "$work"' EXIT

git -C "$root" archive HEAD | tar -x -C "$work"
find "$work" -name pom.xml -exec sed -i -e "s|<groupId>sluice</groupId>|<groupId>$group</groupId>|" \
  -e 's|^  <artifactId>\(sluice-.*\)</artifactId>|&\n  <name>\1</name>|' {} +
sed -i -e "s|^  <name>Sluice</name>|&\n  <description>A server environment on io_uring, in Java</description>\n  <url>$url</url>|" \
  -e "s|^  <licenses>|  <developers>\n    <developer>\n      <name>$developer</name>\n    </developer>\n  </developers>\n  <scm>\n    <url>$url</url>\n    <connection>scm:git:$url</connection>\n  </scm>\n&|" \
  "$work/pom.xml"
(cd "$work" && mvn -B -ntp -q -Dfast -Dmaven.test.skip=true -Ppublish "-Dsluice.commit=$commit" \
  -pl ".,${modules// /,},bom" -am deploy "-DaltDeploymentRepository=made::file:$output") ||
  fail "the build failed, see above"

# ---- the rules of public repositories ----------------------------------------------------------------

place=$output/${group//.//}
for module in $modules; do
  artifact=$place/sluice-$module/$version/sluice-$module-$version
  for file in "$artifact.jar" "$artifact-sources.jar" "$artifact-javadoc.jar" "$artifact.pom" "$artifact-cyclonedx.json"; do
    [ -s "$file" ] && [ -s "$file.sha1" ] && [ -s "$file.md5" ] || fail "no $file, or no checksums of it"
  done
  for part in name description; do
    grep -q "^  <$part>..*</$part>" "$artifact.pom" || fail "$artifact.pom has no $part"
  done
  unzip -p "$artifact.jar" META-INF/LICENSE | grep -q 'Apache License' || fail "$artifact.jar has no licence"
  unzip -p "$artifact.jar" META-INF/MANIFEST.MF | grep -q "^Implementation-Commit: $commit" ||
    fail "$artifact.jar does not tell its commit"
done
parent=$place/sluice/$version/sluice-$version.pom
for part in name description url licenses developers scm; do
  grep -q "^  <$part>" "$parent" || fail "$parent has no $part"
done
[ -s "$place/sluice-bom/$version/sluice-bom-$version.pom" ] || fail "no BOM"
[ ! -e "$place/sluice-testkit" ] && [ ! -e "$place/sluice-testbase" ] || fail "parts for tests are among the artifacts"

if [ -n "$key" ]; then
  find "$output" -type f \( -name '*.jar' -o -name '*.pom' -o -name '*-cyclonedx.json' \) \
    -exec gpg --batch --yes --local-user "$key" --armor --detach-sign {} \;
fi
echo "made and checked: $(find "$place" -name '*.jar' | wc -l) jars of $group:$version in $output"

#!/bin/sh
# Keys for a first installation, in deploy/secrets: a CA of its own, certificates for a year, tokens, passwords of the
# database and of Redis's users, whose rights are in redis.acl beside this file. What is there stays. Run as root: each
# file belongs to the one user that reads it in its container.
# In earnest keys come from where an organisation keeps its own (docs/deploy.md).
set -eu
umask 077

beside=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$beside/secrets}
product=65532 # the user of our image
database=999  # the user of PostgreSQL's image, and of Redis's

if [ "$(id -u)" != 0 ]; then
    echo "$0: run it as root: the files must belong to the users of the containers ($product, $database)" >&2
    exit 1
fi
command -v openssl >/dev/null || { echo "$0: openssl is needed: apt-get install openssl" >&2; exit 1; }
mkdir -p "$folder"
cd "$folder"

token() { openssl rand -hex 32; }

if [ ! -e ca.pem ]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -keyout ca.key -out ca.pem -days 365 \
        -subj "/CN=langserver installation" -addext "basicConstraints=critical,CA:TRUE" \
        -addext "keyUsage=critical,keyCertSign,cRLSign" 2>/dev/null
fi

# A certificate and its key: NAME, then the names of its server.
certificate() {
    name=$1 names=$2
    [ ! -e "$name.pem" ] || return 0
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -keyout "$name.key" -out "$name.csr" \
        -subj "/CN=$name" 2>/dev/null
    printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth\n' "$names" >"$name.ext"
    openssl x509 -req -in "$name.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 365 -extfile "$name.ext" \
        -out "$name.pem" 2>/dev/null
    rm "$name.csr" "$name.ext"
}
# compose.yaml's names, and those of the pods in the namespace langserver.
certificate langserver "DNS:langserver-1,DNS:langserver-2,DNS:*.langserver.langserver.svc,DNS:localhost,IP:127.0.0.1"
certificate coordinator "DNS:coordinator,DNS:coordinator.langserver.svc,DNS:localhost,IP:127.0.0.1"
certificate redis "DNS:redis,DNS:redis.langserver.svc,DNS:localhost,IP:127.0.0.1"
cat ca.pem >redis.ca.pem

# Who calls, on one side as NAME:TOKEN, on the other as the token alone.
[ -e langserver.token ] || token >langserver.token
[ -e coordinator.token ] || token >coordinator.token
[ -e submit.token ] || token >submit.token
echo "bridge:$(cat langserver.token)" >langserver.tokens
printf 'bridge:%s\nengine:%s\n' "$(cat coordinator.token)" "$(cat submit.token)" >coordinator.tokens
[ -e postgres.password ] || token >postgres.password
echo "postgres:5432:langserver:langserver:$(cat postgres.password)" >pgpass

# Redis knows its users' passwords by their hashes. KEDA would take the end of a line for a part of one.
password() { token | tr -d '\n'; }
[ -e redis-bridge.password ] || password >redis-bridge.password
[ -e redis-coordinator.password ] || password >redis-coordinator.password
[ -e redis-keda.password ] || password >redis-keda.password
hash_of() { openssl dgst -sha256 -r "redis-$1.password" | cut -d ' ' -f 1; }
sed -e "s/#BRIDGE /#$(hash_of bridge) /" -e "s/#COORDINATOR /#$(hash_of coordinator) /" -e "s/#KEDA /#$(hash_of keda) /" \
    "$beside/redis.acl" >redis.acl

chmod 400 -- *
chmod 711 . # a container that has all of it mounted opens its own files by their names
chown "$product:$product" ca.pem langserver.* coordinator.* submit.token pgpass redis-*.password
chown "$database:$database" postgres.password redis.*
echo "keys are in $(pwd); ca.key signs new certificates: keep it elsewhere"

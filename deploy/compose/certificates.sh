#!/usr/bin/env bash
# Makes an authority and a certificate of it for the host "kafka", and the files with the broker's
# logins, in the folder named by the first argument. Does nothing when they are there. Needs keytool.
set -euo pipefail
folder=$1
: "${KEYSTORE_PASSWORD:?}" "${BROKER_PASSWORD:?}" "${AGENT_PASSWORD:?}" "${CONSUMER_PASSWORD:?}"
if [[ -f $folder/complete ]]; then
  echo "certificates: there already"
  exit 0
fi
cd "$folder"
rm -f authority.p12 broker.p12

# keytool reads the passwords from the environment: its command line is seen by all.
store() {
  keytool -keystore "$1" -storetype PKCS12 -storepass:env KEYSTORE_PASSWORD "${@:2}"
}

store authority.p12 -genkeypair -alias authority -keyalg EC -groupname secp256r1 -validity 825 \
  -dname "CN=Streampulse Compose authority" -ext bc:c=ca:true -ext KeyUsage:c=keyCertSign
store authority.p12 -exportcert -rfc -alias authority > authority.pem
store broker.p12 -genkeypair -alias broker -keyalg EC -groupname secp256r1 -validity 825 -dname CN=kafka
store broker.p12 -certreq -alias broker |
  store authority.p12 -gencert -rfc -alias authority -validity 825 -ext SAN=dns:kafka \
    -ext ExtendedKeyUsage=serverAuth > broker.pem
store broker.p12 -importcert -noprompt -alias authority -file authority.pem
store broker.p12 -importcert -noprompt -alias broker -file broker.pem
rm broker.pem

printf %s "$KEYSTORE_PASSWORD" > keystore-password
cat > broker-jaas.conf << JAAS
KafkaServer {
  org.apache.kafka.common.security.plain.PlainLoginModule required
  username="broker"
  password="$BROKER_PASSWORD"
  user_broker="$BROKER_PASSWORD"
  user_agents="$AGENT_PASSWORD"
  user_consumer="$CONSUMER_PASSWORD";
};
JAAS
cat > broker.properties << PROPERTIES
security.protocol=SASL_SSL
sasl.mechanism=PLAIN
sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="broker" password="$BROKER_PASSWORD";
ssl.truststore.type=PEM
ssl.truststore.location=/etc/kafka/secrets/authority.pem
PROPERTIES

# The broker's image runs as user 1000, Spark's as 185; of what is here Spark needs only authority.pem.
chmod 600 authority.p12
chmod 640 broker.p12 keystore-password broker-jaas.conf broker.properties
chmod 644 authority.pem
if [[ $(id -u) == 0 ]]; then
  chown 1000:1000 broker.p12 keystore-password broker-jaas.conf broker.properties
fi
touch complete
echo "certificates: made"

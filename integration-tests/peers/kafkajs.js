// Reads a message with @kafkajs/confluent-schema-registry and writes it again.
// Arguments: registry, topic, message in hex
// Prints: the record as JSON, the message as hex
const { SchemaRegistry } = require('@kafkajs/confluent-schema-registry');

const [host, topic, hex] = process.argv.slice(2);
const registry = new SchemaRegistry({ host, retry: { retries: 0 } });

(async () => {
  const record = await registry.decode(Buffer.from(hex, 'hex'));
  console.log(JSON.stringify(record));
  const id = await registry.getLatestSchemaId(`${topic}-value`);
  console.log((await registry.encode(id, record)).toString('hex'));
})().catch((e) => {
  console.error(e);
  process.exit(1);
});

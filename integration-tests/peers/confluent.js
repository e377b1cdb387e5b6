// Reads a message with Confluent's JavaScript client and writes it again, with the schema's id in
// the value or, for "header", with its GUID in a header.
// Arguments: registry, topic, message in hex, "value" or "header"
// Prints: the record as JSON, the message as hex, the header as hex where there is one
const {
  AvroDeserializer, AvroSerializer, HeaderSchemaIdSerializer, SchemaRegistryClient, SerdeType,
  SubjectNameStrategyType,
} = require('@confluentinc/schemaregistry');

const [registry, topic, hex, form] = process.argv.slice(2);
const client = new SchemaRegistryClient({ baseURLs: [registry], maxRetries: 0 });
const strategy = { subjectNameStrategyType: SubjectNameStrategyType.TOPIC };
const writing = { ...strategy, autoRegisterSchemas: false, useLatestVersion: true };
if (form === 'header') {
  writing.schemaIdSerializer = HeaderSchemaIdSerializer;
}

(async () => {
  const reader = new AvroDeserializer(client, SerdeType.VALUE, strategy);
  const record = await reader.deserialize(topic, Buffer.from(hex, 'hex'));
  console.log(JSON.stringify(record));
  const headers = {};
  const writer = new AvroSerializer(client, SerdeType.VALUE, writing);
  console.log((await writer.serialize(topic, record, headers)).toString('hex'));
  if (headers.__value_schema_id) {
    const header = Buffer.from(headers.__value_schema_id);
    console.log(header.toString('hex'));
    const again = Buffer.from(await writer.serialize(topic, record, headers));
    const read = await reader.deserialize(topic, again, { __value_schema_id: header });
    console.log(JSON.stringify(read));
  }
})().catch((e) => {
  console.error(e);
  process.exit(1);
});

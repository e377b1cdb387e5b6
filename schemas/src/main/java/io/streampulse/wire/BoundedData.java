package io.streampulse.wire;

import org.apache.avro.Schema;
import org.apache.avro.data.TimeConversions;
import org.apache.avro.specific.SpecificData;

/**
 * Avro's data model, except that memory for an array or a map is taken as its items come, not as
 * the message announces them: thirty bytes may announce a billion.
 */
final class BoundedData extends SpecificData {
  private static final int MOST_AT_FIRST = 64;

  BoundedData() {
    addLogicalTypeConversion(new TimeConversions.TimestampMillisConversion());
  }

  @Override
  public Object newArray(Object old, int size, Schema schema) {
    return super.newArray(old, Math.min(size, MOST_AT_FIRST), schema);
  }

  @Override
  public Object newMap(Object old, int size) {
    return super.newMap(old, Math.min(size, MOST_AT_FIRST));
  }
}

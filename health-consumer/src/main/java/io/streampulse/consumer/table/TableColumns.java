package io.streampulse.consumer.table;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * How the columns of a table that is there differ from those this version writes.
 *
 * @param missing columns the table lacks, each as ALTER TABLE ADD COLUMNS has it
 * @param unfit columns of another type, each with both types
 */
record TableColumns(List<String> missing, List<String> unfit) {

  /** Compares; a column only the table has is someone else's and stays. */
  static TableColumns compare(StructType wanted, StructType there) {
    TableColumns difference = new TableColumns(new ArrayList<>(), new ArrayList<>());
    difference.compareFields("", wanted, there);
    return difference;
  }

  private void compareFields(String path, StructType wanted, StructType there) {
    for (StructField field : wanted.fields()) {
      StructField found = find(there, field.name());
      String name = path + "`" + field.name() + "`";
      if (found == null) {
        String comment =
            field.getComment().isDefined()
                ? " COMMENT " + SqlText.literal(field.getComment().get())
                : "";
        missing.add(name + " " + field.dataType().sql() + comment);
      } else {
        compareTypes(name, field.dataType(), found.dataType());
      }
    }
  }

  private void compareTypes(String name, DataType wanted, DataType there) {
    if (wanted instanceof StructType wantedStruct && there instanceof StructType struct) {
      compareFields(name + ".", wantedStruct, struct);
    } else if (wanted instanceof ArrayType wantedArray && there instanceof ArrayType array) {
      compareTypes(name + ".element", wantedArray.elementType(), array.elementType());
    } else if (wanted instanceof MapType wantedMap && there instanceof MapType map) {
      compareTypes(name + ".key", wantedMap.keyType(), map.keyType());
      compareTypes(name + ".value", wantedMap.valueType(), map.valueType());
    } else if (!wanted.equals(there)) {
      unfit.add("%s is %s, not %s".formatted(name.replace("`", ""), there.sql(), wanted.sql()));
    }
  }

  private static StructField find(StructType struct, String name) {
    for (StructField field : struct.fields()) {
      if (field.name().equalsIgnoreCase(name)) {
        return field;
      }
    }
    return null;
  }
}

package io.streampulse.testing;

import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * The part of Kafka's protocol that the stand-in offers: what it takes to send, to read and to be
 * in a consumer group. The versions are those that clients have logged of Event Hubs up to the end
 * of 2024; where nobody logged one, that of a Kafka broker of the same age.
 */
final class EventHubsApis {
  private static final Map<ApiKeys, Range> OFFERED = new EnumMap<>(ApiKeys.class);

  static {
    OFFERED.put(ApiKeys.PRODUCE, new Range(3, 7));
    OFFERED.put(ApiKeys.FETCH, new Range(4, 6));
    OFFERED.put(ApiKeys.LIST_OFFSETS, new Range(0, 8));
    OFFERED.put(ApiKeys.METADATA, new Range(0, 5));
    OFFERED.put(ApiKeys.OFFSET_COMMIT, new Range(0, 8));
    OFFERED.put(ApiKeys.OFFSET_FETCH, new Range(0, 8));
    OFFERED.put(ApiKeys.FIND_COORDINATOR, new Range(0, 4));
    OFFERED.put(ApiKeys.JOIN_GROUP, new Range(0, 9));
    OFFERED.put(ApiKeys.HEARTBEAT, new Range(0, 4));
    OFFERED.put(ApiKeys.LEAVE_GROUP, new Range(0, 5));
    OFFERED.put(ApiKeys.SYNC_GROUP, new Range(0, 5));
    OFFERED.put(ApiKeys.DESCRIBE_GROUPS, new Range(0, 5));
    OFFERED.put(ApiKeys.LIST_GROUPS, new Range(0, 4));
    // After version 0 a login's tokens come without the header of a request.
    OFFERED.put(ApiKeys.SASL_HANDSHAKE, new Range(1, 1));
    OFFERED.put(ApiKeys.SASL_AUTHENTICATE, new Range(0, 1));
    OFFERED.put(ApiKeys.INIT_PRODUCER_ID, new Range(0, 4));
  }

  private EventHubsApis() {}

  /** Whether a request, other than the one for this list, is taken. */
  static boolean offers(ApiKeys api, short version) {
    Range range = OFFERED.get(api);
    return range != null && range.lowest() <= version && version <= range.highest();
  }

  /** The list of all that is offered. */
  static ApiVersionsResponseData list(short highestApiVersions) {
    ApiVersionsResponseData list = new ApiVersionsResponseData();
    OFFERED.forEach((api, range) -> list.apiKeys().add(range.of(api)));
    list.apiKeys().add(new Range(0, highestApiVersions).of(ApiKeys.API_VERSIONS));
    return list;
  }

  /** The error for who asked for the list in a version above the highest, which it names. */
  static ApiVersionsResponseData unsupportedVersion(short highestApiVersions) {
    ApiVersionsResponseData error =
        new ApiVersionsResponseData().setErrorCode(Errors.UNSUPPORTED_VERSION.code());
    error.apiKeys().add(new Range(0, highestApiVersions).of(ApiKeys.API_VERSIONS));
    return error;
  }

  private record Range(int lowest, int highest) {
    ApiVersion of(ApiKeys api) {
      return new ApiVersion()
          .setApiKey(api.id)
          .setMinVersion((short) lowest)
          .setMaxVersion((short) highest);
    }
  }
}
